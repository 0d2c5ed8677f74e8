import type { ModelObjects } from "./modelObjects.ts"
import type { PackedCounts } from "./modelPodCounts.ts"
import type { ViolationDetails } from "../../scenario/ledger/violations.ts"

export interface SearchStep {
  /** `ReplicaSet web-1 (new)` */
  readonly actorText: (objects: ModelObjects) => string
  /** `created 2 Pods` */
  readonly actionText: (objects: ModelObjects) => string
  /** Only `failuresMax` failures are allowed. */
  readonly isFailure: boolean
}

export interface ReconciliationOutcome {
  readonly objects: ModelObjects
  readonly step: SearchStep
  readonly violations: ReadonlyArray<ViolationDetails>
}

/** The rollout needs something that the model lacks, such as a third ReplicaSet. */
export class OutsideModel extends Error {}

export const replicaSetText = (objects: ModelObjects, position: number): string =>
  replicaSetTextByName(objects, objects.replicaSets[position]?.metadata.name ?? "")

export const replicaSetTextByName = (
  { replicaSets: [older, newer], newPosition }: ModelObjects,
  name: string
): string => {
  if (older === undefined || newer === undefined) return name
  const position = older.metadata.name === name ? 0 : 1
  return `${name} (${position === newPosition ? "new" : "old"})`
}

export type PackedCountsPair = readonly [older: PackedCounts, newer: PackedCounts]
