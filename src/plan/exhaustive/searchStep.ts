import type { ModelObjects } from "./modelObjects.ts"
import type { PackedCounts } from "./modelPodCounts.ts"
import type { ViolationDetails } from "../../scenario/ledger/violations.ts"

/** One possible transition: who does what, as text. Many states share one object. */
export interface SearchStep {
  readonly who: (objects: ModelObjects) => string
  readonly what: (objects: ModelObjects) => string
  /** Whether it is a failure of a Pod, of which only so many are allowed. */
  readonly isFailure: boolean
}

/** The model after some writes of a controller: after the first of the writes of one look, or several, or all. */
export interface ReconciliationOutcome {
  readonly objects: ModelObjects
  readonly step: SearchStep
  /** The rules that these writes violate. */
  readonly broken: ReadonlyArray<ViolationDetails>
}

/** The rollout needs something that the model does not contain, such as a third ReplicaSet. */
export class OutsideModel extends Error {}

/** The name in a counterexample, with `(new)` or `(old)`, of the ReplicaSet at `slot` of `objects.replicaSets`. */
export const replicaSetText = (objects: ModelObjects, slot: number): string =>
  replicaSetTextByName(objects, objects.replicaSets[slot]?.metadata.name ?? "")

/** The same by name; without a suffix if there is only one ReplicaSet. */
export const replicaSetTextByName = (
  { replicaSets: [first, second], nextSlot }: ModelObjects,
  name: string
): string => {
  if (first === undefined || second === undefined) return name
  const slot = first.metadata.name === name ? 0 : 1
  return `${name} (${slot === nextSlot ? "new" : "old"})`
}

/** The Pod counts of the first and the second ReplicaSet, each packed into one number. */
export type PackedCountsPair = readonly [PackedCounts, PackedCounts]
