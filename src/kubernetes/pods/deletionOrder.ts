import { isPodReady, readySinceMillis } from "./podState.ts"
import { isSidecar } from "./containers/containerRoles.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { Pod } from "../meta/objects.ts"

/** Source: controller_utils.go (ActivePodsWithRanks), KEP-2185, KEP-2255. */

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/** The part of the order that time does not change. The smallest number is deleted first. */
export const deletionClass = (pod: OrderedPod): number => {
  const scheduled = pod.spec.nodeName === undefined ? 0 : 1
  const phase = phaseOrder[pod.status.phase] ?? 0
  const ready = isPodReady(pod) ? 1 : 0
  return ((scheduled * 3 + phase) * 2 + ready) * costSpan + (deletionCost(pod) - costMin)
}

type OrderedPod = Pick<Pod, "spec" | "status"> & { readonly metadata: Pick<Pod["metadata"], "annotations"> }

const costMin = -(2 ** 31)
const costSpan = 2 ** 32

export const deletionCostAnnotation = "controller.kubernetes.io/pod-deletion-cost"

/** Upstream accepts no plus sign, and leading zeros only after a minus. */
const costPattern = /^(0|[1-9]\d*|-\d+)$/

/** Source: helper/helpers.go (GetDeletionCostFromPodAnnotations). */
export const parseDeletionCost = (text: string): number | undefined => {
  const cost = costPattern.test(text) ? Number(text) : Number.NaN
  return cost >= costMin && cost < costMin + costSpan ? cost : undefined
}

const deletionCost = ({ metadata }: OrderedPod): number => {
  const text = metadata.annotations?.[deletionCostAnnotation]
  return text === undefined ? 0 : (parseDeletionCost(text) ?? 0)
}

/** For Pods of one class, on nodes with equally many Pods of the ReplicaSet. */
export const compareWithinDeletionClass = (a: Pod, b: Pod, nowMillis: number): number =>
  (isPodReady(a) && isPodReady(b) ? byAge(a, b, readySinceMillis(a), readySinceMillis(b), nowMillis) : 0) ||
  compareByRestarts(a, b) ||
  byAge(
    a,
    b,
    timestampMillis(a.metadata.creationTimestamp),
    timestampMillis(b.metadata.creationTimestamp),
    nowMillis
  )

/** Compares ages by powers of two, so that not always the youngest Pods are deleted. */
const byAge = (
  a: Pod,
  b: Pod,
  sinceA: number | undefined,
  sinceB: number | undefined,
  nowMillis: number
): number => {
  if (sinceA === sinceB) return 0
  const bucketDifference = ageBucket(sinceA, nowMillis) - ageBucket(sinceB, nowMillis)
  if (bucketDifference !== 0) return bucketDifference
  return a.metadata.uid < b.metadata.uid ? -1 : 1
}

/** floor(log2(age in nanoseconds)); -1 if the age is missing or not positive. */
export const ageBucket = (sinceMillis: number | undefined, nowMillis: number): number => {
  const age = sinceMillis === undefined ? 0 : nowMillis - sinceMillis
  return age <= 0 ? -1 : Math.floor(Math.log2(age * 1e6))
}

export const ageBucketEndMillis = (sinceMillis: number, nowMillis: number): number => {
  const bucket = ageBucket(sinceMillis, nowMillis)
  return bucket < 0 ? sinceMillis + 1 : sinceMillis + 2 ** (bucket + 1) / 1e6
}

export const compareByRestarts = (a: Pod, b: Pod): number =>
  mostRestarts(b) - mostRestarts(a) || mostSidecarRestarts(b) - mostSidecarRestarts(a)

const mostRestarts = (pod: Pod): number =>
  (pod.status.containerStatuses ?? []).reduce((most, status) => Math.max(most, status.restartCount), 0)

const mostSidecarRestarts = ({ spec, status }: Pod): number => {
  if (spec.initContainers === undefined) return 0
  const sidecarNames = spec.initContainers.filter(isSidecar).map(({ name }) => name)
  return (status.initContainerStatuses ?? []).reduce(
    (most, { name, restartCount }) => (sidecarNames.includes(name) ? Math.max(most, restartCount) : most),
    0
  )
}
