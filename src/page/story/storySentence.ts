import type { PageAddress } from "../pageAddress.ts"

export interface StorySentence {
  /** The entry from which on the sentence is true. */
  readonly number: number
  readonly atMillis: number
  /** Without the workload's name and without a period. */
  readonly text: string
  readonly tone: "good" | "bad" | "plain"
  /** Undefined for a fault or a note of the recording. */
  readonly address?: PageAddress
}

export const sortSentences = (sentences: ReadonlyArray<StorySentence>): ReadonlyArray<StorySentence> =>
  sentences.toSorted((a, b) => a.number - b.number || a.atMillis - b.atMillis)
