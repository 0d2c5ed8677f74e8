import { isReady, readySinceMillis } from "./pods.ts"
import { millisOf } from "./timestamps.ts"
import type { Pod } from "./objects.ts"

/**
 * Which Pods of a ReplicaSet go first when it shrinks.
 *
 * Source: pkg/controller/controller_utils.go (ActivePodsWithRanks), KEP-2185, KEP-2255.
 */

/** A Pod with how many active Pods of its family (all ReplicaSets of one Deployment) share its node. */
export interface RankedPod {
  readonly pod: Pod
  readonly rank: number
}

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/**
 * Everything of the order that time and neighbours do not change, as one number to compare: smaller goes first.
 * Unscheduled before scheduled, Pending before Running, unready before ready, then the lower deletion cost.
 */
export const deletionClass = (pod: Pod): number => {
  const scheduled = pod.spec.nodeName === undefined ? 0 : 1
  const phase = phaseOrder[pod.status.phase] ?? 0
  const ready = isReady(pod) ? 1 : 0
  return ((scheduled * 3 + phase) * 2 + ready) * costSpan + (deletionCost(pod) - costMin)
}

const costMin = -2147483648
const costSpan = 4294967296
const costPattern = /^(0|-?[1-9]\d*)$/

/**
 * The `controller.kubernetes.io/pod-deletion-cost` of a Pod: a 32-bit integer, 0 where it is missing or
 * malformed.
 */
export const deletionCost = (pod: Pod): number => {
  const text = pod.metadata.annotations?.["controller.kubernetes.io/pod-deletion-cost"]
  if (text === undefined || !costPattern.test(text)) return 0
  const cost = Number(text)
  return cost >= costMin && cost < costMin + costSpan ? cost : 0
}

/** Compares two Pods: negative when `a` is to be deleted before `b`. */
export const compareForDeletion = (a: RankedPod, b: RankedPod, nowMillis: number): number =>
  deletionClass(a.pod) - deletionClass(b.pod) || b.rank - a.rank || compareWithinNode(a.pod, b.pod, nowMillis)

/**
 * The rest of the order, for Pods of one class and rank: young before old in rough strokes, then by restarts
 * and age.
 */
export const compareWithinNode = (a: Pod, b: Pod, nowMillis: number): number =>
  (isReady(a) && isReady(b) ? byAge(a, b, readySinceMillis(a), readySinceMillis(b), nowMillis) : 0) ||
  mostRestarts(b) - mostRestarts(a) ||
  mostSidecarRestarts(b) - mostSidecarRestarts(a) ||
  byAge(a, b, millisOf(a.metadata.creationTimestamp), millisOf(b.metadata.creationTimestamp), nowMillis)

/**
 * Ages are compared by powers of two, so that the youngest are not always the ones to go; within one power the uid
 * decides, which is as good as chance. Only the very same time leaves it to the next rule.
 */
const byAge = (
  a: Pod,
  b: Pod,
  sinceA: number | undefined,
  sinceB: number | undefined,
  nowMillis: number
): number => {
  if (sinceA === sinceB) return 0
  const buckets = ageBucket(sinceA, nowMillis) - ageBucket(sinceB, nowMillis)
  if (buckets !== 0) return buckets
  return a.metadata.uid < b.metadata.uid ? -1 : 1
}

/** floor(log2(age in nanoseconds)); -1 for an age that is not positive, and for none at all. */
export const ageBucket = (sinceMillis: number | undefined, nowMillis: number): number => {
  const age = sinceMillis === undefined ? 0 : nowMillis - sinceMillis
  return age <= 0 ? -1 : Math.floor(Math.log2(age * 1e6))
}

/** When a time now in one bucket moves to the next, in Unix milliseconds. */
export const bucketEndMillis = (sinceMillis: number, nowMillis: number): number => {
  const bucket = ageBucket(sinceMillis, nowMillis)
  return bucket < 0 ? sinceMillis + 1 : sinceMillis + 2 ** (bucket + 1) / 1e6
}

const mostRestarts = (pod: Pod): number =>
  (pod.status.containerStatuses ?? []).reduce((most, status) => Math.max(most, status.restartCount), 0)

/** Of the init containers that stay beside the others. */
const mostSidecarRestarts = ({ spec, status }: Pod): number => {
  if (spec.initContainers === undefined) return 0
  const sidecars = spec.initContainers.filter((it) => it.restartPolicy === "Always").map(({ name }) => name)
  return (status.initContainerStatuses ?? []).reduce(
    (most, it) => (sidecars.includes(it.name) ? Math.max(most, it.restartCount) : most),
    0
  )
}
