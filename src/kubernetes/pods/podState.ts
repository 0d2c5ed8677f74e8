import { conditionOf } from "../meta/conditions.ts"
import { isTerminating } from "../meta/deletion.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { ContainerStatus, Pod, PodCondition } from "../meta/objects.ts"

export const defaultSchedulerName = "default-scheduler"

/** Source: controller_utils.go (IsPodActive, IsPodTerminating), pod/util.go. */
export const isTerminalPhase = (phase: string | undefined): boolean =>
  phase === "Succeeded" || phase === "Failed"

export const isPodFinished = (pod: Pod): boolean => isTerminalPhase(pod.status.phase)

export const isPodActive = (pod: Pod): boolean => !isPodFinished(pod) && !isTerminating(pod)

export const isPodTerminating = (pod: Pod): boolean => isTerminating(pod) && !isPodFinished(pod)

export const isPodReady = ({ status }: Pick<Pod, "status">): boolean =>
  conditionOf(status.conditions, "Ready")?.status === "True"

export const restartCountOf = ({ status }: Pick<Pod, "status">): number =>
  restartsIn(status.initContainerStatuses) + restartsIn(status.containerStatuses)

const restartsIn = (statuses: ReadonlyArray<ContainerStatus> | undefined): number => {
  let restarts = 0
  if (statuses !== undefined) for (const { restartCount } of statuses) restarts += restartCount
  return restarts
}

export const allContainerStatuses = ({ status }: Pick<Pod, "status">): ReadonlyArray<ContainerStatus> => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? [])
]

/** Source: kuberuntime_container.go, sync_result.go. */
export const startFailureReasons: ReadonlySet<string> = new Set([
  "CreateContainerConfigError",
  "CreateContainerError",
  "PreCreateHookError",
  "PreStartHookError",
  "PostStartHookError",
  "RunContainerError"
])

export const readySinceMillis = (pod: Pod): number | undefined => {
  const ready = conditionOf(pod.status.conditions, "Ready")
  if (ready?.status !== "True" || ready.lastTransitionTime === undefined) return undefined
  return timestampMillis(ready.lastTransitionTime)
}

/** Whether owners count both versions of a Pod alike; unchanged parts are the same objects. */
export const hasSameCountedFields = (a: Pod, b: Pod): boolean =>
  a.metadata.labels === b.metadata.labels &&
  a.metadata.ownerReferences === b.metadata.ownerReferences &&
  a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
  isPodFinished(a) === isPodFinished(b) &&
  readySinceMillis(a) === readySinceMillis(b)

/** Undefined also for a Pod with scheduling gates, which has yet to ask for a node. */
export const unschedulableCondition = ({ status }: Pod): PodCondition | undefined => {
  const scheduled = conditionOf(status.conditions, "PodScheduled")
  return scheduled?.status === "False" && scheduled.reason === "Unschedulable" ? scheduled : undefined
}

/** When the condition last changed, in Unix milliseconds; NaN without it. */
export const timeOfCondition = ({ status }: Pod, type: string): number =>
  timestampMillis(conditionOf(status.conditions, type)?.lastTransitionTime ?? "")
