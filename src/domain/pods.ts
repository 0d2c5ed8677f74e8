import { conditionOf } from "./conditions.ts"
import { isTerminating } from "./ownerReferences.ts"
import { millisOf } from "./timestamps.ts"
import type { ContainerStatus, Pod } from "./objects.ts"

/**
 * Predicates on Pods, as controllers use them.
 *
 * Source: pkg/controller/controller_utils.go (IsPodActive, IsPodTerminating), pkg/api/v1/pod/util.go.
 */
export const isFinished = (pod: Pod): boolean =>
  pod.status.phase === "Succeeded" || pod.status.phase === "Failed"

export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod)

export const isStillTerminating = (pod: Pod): boolean => isTerminating(pod) && !isFinished(pod)

export const isReady = (pod: Pod): boolean => conditionOf(pod.status.conditions, "Ready")?.status === "True"

export const restartsOf = (pod: Pod): number =>
  allStatusesOf(pod).reduce((sum, { restartCount }) => sum + restartCount, 0)

/** The statuses of all containers, init containers first. Container names are unique in a Pod. */
export const allStatusesOf = ({ status }: Pick<Pod, "status">): ReadonlyArray<ContainerStatus> => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? [])
]

export const readySinceMillis = (pod: Pod): number | undefined => {
  const ready = conditionOf(pod.status.conditions, "Ready")
  if (ready?.status !== "True" || ready.lastTransitionTime === undefined) return undefined
  return millisOf(ready.lastTransitionTime)
}

/** Whether two versions of a Pod are the same to a controller that counts Pods. */
export const countsTheSame = (a: Pod, b: Pod): boolean =>
  a.metadata.labels === b.metadata.labels &&
  a.metadata.ownerReferences === b.metadata.ownerReferences &&
  a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
  isFinished(a) === isFinished(b) &&
  readySinceMillis(a) === readySinceMillis(b)
