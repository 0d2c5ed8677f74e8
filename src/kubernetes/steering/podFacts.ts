import { isApproved, areContainersReady } from "./podApproval.ts"
import { conditionOf } from "../meta/conditions.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { restartCountOf, startFailureReasons } from "../pods/podState.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { ContainerStatus, Pod, PodCondition } from "../meta/objects.ts"
import type { SteeringObservation } from "./steeringObservation.ts"

interface NewPodFacts {
  readonly withContainersReady: ReadonlyArray<Pod>
  readonly waitingForApproval: ReadonlyArray<Pod>
  readonly unstartable: ReadonlyArray<Pod>
  readonly unschedulable: ReadonlyArray<Pod>
  readonly restarts: number
  /** When a Pod or all of its containers last became ready, in Unix milliseconds; 0 if none is ready. */
  readonly progressMillis: number
}

/** Computed for each observation: keeping facts of each version of a Pod takes longer. */
export const newPodFacts = memoizePerObservation(
  ({ newPods }: Pick<SteeringObservation, "newPods">): NewPodFacts => {
    const facts = {
      withContainersReady: [] as Array<Pod>,
      waitingForApproval: [] as Array<Pod>,
      unstartable: [] as Array<Pod>,
      unschedulable: [] as Array<Pod>,
      restarts: 0,
      progressMillis: 0
    }
    for (const pod of newPods) {
      if (areContainersReady(pod)) {
        facts.withContainersReady.push(pod)
        if (!isApproved(pod)) facts.waitingForApproval.push(pod)
      } else if (unschedulableCondition(pod) !== undefined) facts.unschedulable.push(pod)
      if (unstartableContainer(pod) !== undefined) facts.unstartable.push(pod)
      facts.restarts += restartCountOf(pod)
      facts.progressMillis = Math.max(facts.progressMillis, progressMillis(pod))
    }
    return facts
  }
)

const progressMillis = ({ status }: Pod): number => {
  let latest = 0
  for (const { type, status: value, lastTransitionTime } of status.conditions ?? [])
    if (
      value === "True" &&
      (type === "Ready" || type === "ContainersReady") &&
      lastTransitionTime !== undefined
    )
      latest = Math.max(latest, timestampMillis(lastTransitionTime))
  return latest
}

/** Source: pkg/kubelet/images/types.go. */
const imageFailureReasons: ReadonlySet<string> = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "ErrImageNeverPull",
  "ImageInspectError",
  "InvalidImageName",
  "RegistryUnavailable",
  "SignatureValidationFailed"
])

const isUnstartable = ({ state }: ContainerStatus): boolean => {
  const reason = state?.waiting?.reason
  return reason !== undefined && (imageFailureReasons.has(reason) || startFailureReasons.has(reason))
}

export const unstartableContainer = ({ status }: Pod): ContainerStatus | undefined =>
  status.initContainerStatuses?.find(isUnstartable) ?? status.containerStatuses?.find(isUnstartable)

/** Undefined also for a Pod with scheduling gates, which has yet to ask for a node. */
export const unschedulableCondition = ({ status }: Pod): PodCondition | undefined => {
  const scheduled = conditionOf(status.conditions, "PodScheduled")
  return scheduled?.status === "False" && scheduled.reason === "Unschedulable" ? scheduled : undefined
}

/** Not memoized, since this is called for every version of a Pod. */
export const isFailingPod = (pod: Pod): boolean =>
  restartCountOf(pod) > 0 || unstartableContainer(pod) !== undefined
