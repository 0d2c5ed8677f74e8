import { useState } from "preact/hooks"

interface Draft {
  readonly text: string
  readonly write: (text: string) => void
  /** Drops the draft, unless it was edited since this render. */
  readonly clear: () => void
}

/** A form field that shows `current` until the user edits it, and the draft until it is cleared. */
export const useDraft = (current: string): Draft => {
  const [draft, setDraft] = useState<string | undefined>(undefined)
  const text = draft ?? current
  return { text, write: setDraft, clear: () => setDraft((latest) => (latest === text ? undefined : latest)) }
}
