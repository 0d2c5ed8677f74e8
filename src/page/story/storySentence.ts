import type { PageAddress } from "../pageAddress.ts"

/** One sentence of the story of a recording, and the moment that it is about. */
export interface StorySentence {
  /** The number of the entry from which on the sentence is true. */
  readonly number: number
  readonly atMillis: number
  /** Without the workload's name and without a period. */
  readonly text: string
  readonly tone: "good" | "bad" | "plain"
  /** The workload that it is about; undefined for a fault, and for a remark. */
  readonly address?: PageAddress
}

export const inOrder = (sentences: ReadonlyArray<StorySentence>): ReadonlyArray<StorySentence> =>
  sentences.toSorted((a, b) => a.number - b.number || a.atMillis - b.atMillis)
