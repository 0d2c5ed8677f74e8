import { sentenceOf } from "./connection.ts"
import type { Kept } from "../kept.ts"
import type { Said } from "../said.ts"
import type { Opened, Source } from "./source.ts"

interface Shown {
  readonly source: Kept<Source | undefined>
  readonly said: Kept<Said | undefined>
}

let wishes = 0

/**
 * Shows a recording; says what is the matter where it is none. Whatever was chosen later is what is wanted: then the
 * answer is no.
 */
export const open = async (
  { source, said }: Shown,
  name: string,
  opened: Promise<Opened>
): Promise<boolean> => {
  const [wish, before] = [(wishes += 1), source.get()]
  const recording = await opened.catch((error: unknown) => ({ refused: sentenceOf(error) }))
  if (wish !== wishes || source.get() !== before) return false
  if ("refused" in recording) {
    said.set({ text: `${name}: ${recording.refused}`, refused: true })
    return false
  }
  said.set(undefined)
  source.set(recording)
  return true
}
