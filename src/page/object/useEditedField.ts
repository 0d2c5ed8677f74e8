import { useState } from "preact/hooks"

interface EditedField {
  readonly text: string
  readonly write: (text: string) => void
  /** Does nothing if the field was edited since this render. */
  readonly clear: () => void
}

export const useEditedField = (current: string): EditedField => {
  const [typed, setTyped] = useState<string | undefined>(undefined)
  const text = typed ?? current
  return { text, write: setTyped, clear: () => setTyped((latest) => (latest === text ? undefined : latest)) }
}
