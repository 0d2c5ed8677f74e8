import { conditionOf } from "./conditions.ts"
import { isTerminating } from "./ownerReferences.ts"
import { millisOf } from "./timestamps.ts"
import type { ContainerStatus, Pod } from "./objects.ts"

/**
 * What controllers ask about a Pod.
 *
 * Source: pkg/controller/controller_utils.go (IsPodActive, IsPodTerminating), pkg/api/v1/pod/util.go.
 */
export const isFinished = (pod: Pod): boolean =>
  pod.status.phase === "Succeeded" || pod.status.phase === "Failed"

/** Counts for its ReplicaSet: neither finished nor on its way out. */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod)

export const isStillTerminating = (pod: Pod): boolean => isTerminating(pod) && !isFinished(pod)

export const isReady = (pod: Pod): boolean => conditionOf(pod.status.conditions, "Ready")?.status === "True"

/** How often its containers have been started again, those for init among them. */
export const restartsOf = (pod: Pod): number =>
  allStatusesOf(pod).reduce((sum, { restartCount }) => sum + restartCount, 0)

/** Of all its containers, those for init first; no two of a Pod have one name. */
export const allStatusesOf = ({ status }: Pick<Pod, "status">): ReadonlyArray<ContainerStatus> => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? [])
]

/**
 * When the Pod last turned ready, in Unix milliseconds; undefined while it is not ready or has no such time.
 */
export const readySinceMillis = (pod: Pod): number | undefined => {
  const ready = conditionOf(pod.status.conditions, "Ready")
  if (ready?.status !== "True" || ready.lastTransitionTime === undefined) return undefined
  return millisOf(ready.lastTransitionTime)
}

/** Whether a change of a Pod is one that those who count Pods can see. */
export const countsTheSame = (a: Pod, b: Pod): boolean =>
  a.metadata.labels === b.metadata.labels &&
  a.metadata.ownerReferences === b.metadata.ownerReferences &&
  a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
  isFinished(a) === isFinished(b) &&
  readySinceMillis(a) === readySinceMillis(b)
