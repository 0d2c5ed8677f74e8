import { countPods, isClassAvailable } from "./steeredPods.ts"
import { packCounts, unpackCounts } from "../modelPodCounts.ts"
import { toStoredReplicaSet } from "../modelObjects.ts"
import type { ModelObjects } from "../modelObjects.ts"
import type { PackedCounts } from "../modelPodCounts.ts"
import type { PodCountsByClass } from "./steeredPods.ts"
import type { ReplicaSet } from "../../../kubernetes/meta/objects.ts"

export interface SteeredState {
  readonly objects: ModelObjects
  readonly replicaSets: readonly [older: SteeredReplicaSet, newer: SteeredReplicaSet]
  /** Counts failures of Pods, of Jobs of hooks, and of answers to hooks and analyses. */
  readonly failures: number
  /** How many requests the user has made so far. */
  readonly requests: number
  readonly hookJobs: Readonly<Record<string, HookJobPhase>>
  /** The pod-template-hash that the preview Service selects. */
  readonly previewedHash: string | undefined
}

export type HookJobPhase = "running" | "complete" | "failed"

export interface SteeredReplicaSet {
  readonly counts: PackedCounts
  readonly pods: PodCountsByClass
}

export const withPods = ({ counts }: SteeredReplicaSet, pods: PodCountsByClass): SteeredReplicaSet => {
  const available = countPods(pods, isClassAvailable)
  const unready = countPods(pods, () => true) - available
  return { pods, counts: packCounts({ ...unpackCounts(counts), unready, available }) }
}

export const withReplicaSet = (
  state: SteeredState,
  position: 0 | 1,
  replicaSet: SteeredReplicaSet
): SteeredState => ({
  ...state,
  replicaSets: position === 0 ? [replicaSet, state.replicaSets[1]] : [state.replicaSets[0], replicaSet]
})

export const storedReplicaSets = ({
  objects,
  replicaSets
}: SteeredState): ReadonlyArray<ReplicaSet | undefined> =>
  objects.replicaSets.map(
    (replicaSet, position) => replicaSet && toStoredReplicaSet(replicaSet, replicaSets[position]?.counts ?? 0)
  )

export const availablePods = ({ replicaSets }: SteeredState): number =>
  replicaSets.reduce((sum, { pods }) => sum + countPods(pods, isClassAvailable), 0)

export const countActivePods = ({ replicaSets }: SteeredState): number =>
  replicaSets.reduce((sum, { pods }) => sum + countPods(pods, () => true), 0)

export const stateKey = (state: SteeredState): string => {
  const { objects, replicaSets, failures, requests, hookJobs, previewedHash } = state
  return [
    objects.id,
    failures,
    requests,
    previewedHash,
    ...Object.entries(hookJobs).flat(),
    ...replicaSets.flatMap(({ counts, pods }) => [counts, pods.join("")])
  ].join()
}
