import { countPods, isClassAvailable } from "./steeredPods.ts"
import { packCounts, unpackCounts } from "../modelPodCounts.ts"
import { toStoredReplicaSet } from "../modelObjects.ts"
import type { ModelObjects } from "../modelObjects.ts"
import type { PackedCounts } from "../modelPodCounts.ts"
import type { PodCountsByClass } from "./steeredPods.ts"
import type { ReplicaSet } from "../../../kubernetes/meta/objects.ts"

/** One Deployment with its steering, and at most two ReplicaSets, the older one first. */
export interface SteeredState {
  /** States that differ only in counts share their objects, which an id stands for in the state's key. */
  readonly objects: ModelObjects
  readonly replicaSets: readonly [SteeredReplicaSet, SteeredReplicaSet]
  /** How many Pods, Jobs of hooks and answers to hooks and analyses have failed so far. */
  readonly failures: number
  /** How many requests the user has made of the steering so far: promote, abort, hold, apply again. */
  readonly requests: number
  /** The Jobs that hooks have started, by name. */
  readonly hookJobs: Readonly<Record<string, HookJobPhase>>
  /** The pod-template-hash that the preview Service selects; undefined for none. */
  readonly previewedHash: string | undefined
}

export type HookJobPhase = "running" | "complete" | "failed"

export interface SteeredReplicaSet {
  /** Its size, its reported status, and its Pods by readiness. */
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

/** The ReplicaSets as an API server would store them, the older one first. */
export const storedReplicaSets = ({
  objects,
  replicaSets
}: SteeredState): ReadonlyArray<ReplicaSet | undefined> =>
  objects.replicaSets.map(
    (replicaSet, position) => replicaSet && toStoredReplicaSet(replicaSet, replicaSets[position]?.counts ?? 0)
  )

export const availablePods = ({ replicaSets }: SteeredState): number =>
  replicaSets.reduce((sum, { pods }) => sum + countPods(pods, isClassAvailable), 0)

/** Neither finished nor terminating. */
export const countActivePods = ({ replicaSets }: SteeredState): number =>
  replicaSets.reduce((sum, { pods }) => sum + countPods(pods, () => true), 0)

/** Two states with the same key are the same. */
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
