import { countPods, isKindAvailable } from "./steeredPods.ts"
import { packCounts, unpackCounts } from "../modelPodCounts.ts"
import type { ModelObjects } from "../modelObjects.ts"
import type { PackedCounts } from "../modelPodCounts.ts"
import type { PodCountsByKind } from "./steeredPods.ts"

/** One Deployment with its steering, and at most two ReplicaSets, the older one first. */
export interface SteeredState {
  readonly objects: ModelObjects
  readonly replicaSets: readonly [SteeredReplicaSet, SteeredReplicaSet]
  /** How many Pods have failed, and how often the user has asked for something. */
  readonly failures: number
  readonly requests: number
}

export interface SteeredReplicaSet {
  /** Its size, what its status reports, and the Pods by their readiness. */
  readonly counts: PackedCounts
  readonly pods: PodCountsByKind
}

export const withPods = ({ counts }: SteeredReplicaSet, pods: PodCountsByKind): SteeredReplicaSet => {
  const available = countPods(pods, isKindAvailable)
  const unready = countPods(pods, () => true) - available
  return { pods, counts: packCounts({ ...unpackCounts(counts), unready, available }) }
}

export const withReplicaSet = (
  state: SteeredState,
  slot: 0 | 1,
  replicaSet: SteeredReplicaSet
): SteeredState => ({
  ...state,
  replicaSets: slot === 0 ? [replicaSet, state.replicaSets[1]] : [state.replicaSets[0], replicaSet]
})

export const availablePods = ({ replicaSets }: SteeredState): number =>
  replicaSets.reduce((sum, { pods }) => sum + countPods(pods, isKindAvailable), 0)

export const stateKey = ({ objects, replicaSets, failures, requests }: SteeredState): string =>
  [
    objects.id,
    failures,
    requests,
    ...replicaSets.flatMap(({ counts, pods }) => [counts, pods.join("")])
  ].join()
