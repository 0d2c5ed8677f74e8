import { addPodCount, recordRow } from "./workloadTrack.ts"
import {
  isPodActive,
  isPodReady,
  isPodTerminating,
  readySinceMillis
} from "../../../kubernetes/pods/podState.ts"
import type { DueList } from "./dueList.ts"
import type { KubeObject, Pod } from "../../../kubernetes/meta/objects.ts"
import type { PodReadiness, TimelineMoment, TrackedRevision } from "./workloadTrack.ts"

/** Ready Pods become available when minReadySeconds have passed. */
export interface CountedPods {
  readonly podsByUid: Map<string, CountedPod>
  /** Also has Pods that are no longer counted. */
  readonly dueList: DueList<CountedPod>
  nowMillis: number
}

interface CountedPod {
  readonly uid: string
  readonly trackedRevision: TrackedRevision
  readonly readiness: PodReadiness | undefined
  /** When the Pod became ready; Infinity if it is not ready. */
  readonly readyMillis: number
  isAvailable: boolean
}

/** Returns false if the Pod was already counted like this. */
export const countPod = (countedPods: CountedPods, pod: Pod, trackedRevision: TrackedRevision): boolean => {
  const { uid } = pod.metadata
  const readiness = readinessOf(pod)
  const readyMillis = readiness === "ready" ? (readySinceMillis(pod) ?? Infinity) : Infinity
  const before = countedPods.podsByUid.get(uid)
  const isUnchanged =
    before?.trackedRevision === trackedRevision &&
    before.readiness === readiness &&
    before.readyMillis === readyMillis
  if (isUnchanged) return false
  if (before !== undefined) removeFromRevision(before)
  const countedPod = { uid, trackedRevision, readiness, readyMillis, isAvailable: false }
  countedPods.podsByUid.set(uid, countedPod)
  addToRevision(countedPods, countedPod)
  return true
}

export const uncountPod = (countedPods: CountedPods, uid: string): void => {
  const countedPod = countedPods.podsByUid.get(uid)
  if (countedPod === undefined) return
  removeFromRevision(countedPod)
  countedPods.podsByUid.delete(uid)
}

/** Records a row whenever Pods become available. */
export const advanceCountedPods = (countedPods: CountedPods, { number, atMillis }: TimelineMoment): void => {
  const { dueList, podsByUid } = countedPods
  for (let next = dueList.take(atMillis); next !== undefined; next = dueList.take(atMillis)) {
    const { item: pod } = next
    if (podsByUid.get(pod.uid) !== pod || pod.isAvailable) continue
    removeFromRevision(pod)
    countedPods.nowMillis = Math.max(countedPods.nowMillis, next.atMillis)
    addToRevision(countedPods, pod)
    const { owner } = pod.trackedRevision
    if (owner !== undefined) recordRow(owner, number, countedPods.nowMillis)
  }
  countedPods.nowMillis = atMillis
}

export const setMinReadySeconds = (
  countedPods: CountedPods,
  trackedRevision: TrackedRevision,
  object: KubeObject
): void => {
  const { spec = {} } = object as { readonly spec?: { readonly minReadySeconds?: number } }
  const minReadyMillis = (spec.minReadySeconds ?? 0) * 1000
  if (minReadyMillis === trackedRevision.minReadyMillis) return
  // A changed minReadySeconds is rare, and the only change that visits every counted Pod.
  const ownPods = [...countedPods.podsByUid.values()].filter((pod) => pod.trackedRevision === trackedRevision)
  for (const pod of ownPods) removeFromRevision(pod)
  trackedRevision.minReadyMillis = minReadyMillis
  for (const pod of ownPods) addToRevision(countedPods, pod)
}

const addToRevision = ({ dueList, nowMillis }: CountedPods, pod: CountedPod): void => {
  const { readiness, readyMillis, trackedRevision } = pod
  const { minReadyMillis } = trackedRevision
  const isReady = readiness === "ready"
  const availableMillis = readyMillis + minReadyMillis
  pod.isAvailable = isReady && (minReadyMillis === 0 || availableMillis <= nowMillis)
  if (isReady && !pod.isAvailable && availableMillis < Infinity) dueList.add(availableMillis, pod)
  addPodCount(trackedRevision, pod, 1)
}

const removeFromRevision = (pod: CountedPod): void => addPodCount(pod.trackedRevision, pod, -1)

/** Pods that have ended are not counted. */
const readinessOf = (pod: Pod): PodReadiness | undefined => {
  if (isPodTerminating(pod)) return "terminating"
  if (!isPodActive(pod)) return undefined
  return isPodReady(pod) ? "ready" : "notReady"
}
