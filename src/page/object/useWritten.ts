import { useState } from "preact/hooks"

/** A field of a form. */
interface Written {
  /** What it shows. */
  readonly text: string
  readonly write: (text: string) => void
  /** Shows what is there again, unless somebody has written something else meanwhile. */
  readonly clear: () => void
}

/** What nobody has written over is as it is there; what somebody has written stays until it is cleared. */
export const useWritten = (there: string): Written => {
  const [written, set] = useState<string | undefined>(undefined)
  const text = written ?? there
  return { text, write: set, clear: () => set((now) => (now === text ? undefined : now)) }
}
