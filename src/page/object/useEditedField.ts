import { useState } from "preact/hooks"

interface EditedField {
  /** What the user has typed, or else the current value. */
  readonly text: string
  readonly write: (text: string) => void
  /** Shows the current value again, unless the field was edited since this render. */
  readonly clear: () => void
}

/** A form field that shows `current` until the user edits it, and what the user typed until it is cleared. */
export const useEditedField = (current: string): EditedField => {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const text = typed ?? current
  return { text, write: setTyped, clear: () => setTyped((latest) => (latest === text ? undefined : latest)) }
}
