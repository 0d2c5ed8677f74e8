import type { Chapter } from "./chapters.ts"
import type { Packed } from "./brood.ts"
import type { Broken } from "../ledger/violations.ts"

/** Something that may happen next: who does what. One for all worlds in which it is the same. */
export interface Step {
  readonly who: (chapter: Chapter) => string
  readonly what: (chapter: Chapter) => string
  /** It is one of the failures that are counted, and not what Pods and controllers do by themselves. */
  readonly isFailure: boolean
}

/** What a controller's turn comes to, as far as it was performed. */
export interface Outcome {
  readonly chapter: Chapter
  readonly step: Step
  readonly broken: ReadonlyArray<Broken>
}

/** Something the small world has no room for. */
export class OutOfScope extends Error {}

/** The name of a ReplicaSet in a counterexample, with its place in the rollout. */
export const nameOf = (chapter: Chapter, slot: number): string =>
  calledIn(chapter, chapter.replicaSets[slot]?.metadata.name ?? "")

/** The same by its name: where there is only one, it says enough. */
export const calledIn = ({ replicaSets: [first, second], next }: Chapter, name: string): string => {
  if (first === undefined || second === undefined) return name
  const slot = first.metadata.name === name ? 0 : 1
  return `${name} (${slot === next ? "new" : "old"})`
}

export type Broods = readonly [Packed, Packed]
