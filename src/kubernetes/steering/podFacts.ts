import { isApproved, areContainersReady } from "./podApproval.ts"
import { approvalGate } from "./steeringNames.ts"
import { conditionOf } from "../meta/conditions.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { restartCountOf, startFailureReasons, unschedulableCondition } from "../pods/podState.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { ContainerStatus, Pod, ReplicaSet } from "../meta/objects.ts"
import type { SteeringObservation } from "./steeringObservation.ts"

interface NewPodFacts {
  readonly withContainersReady: ReadonlyArray<Pod>
  readonly waitingForApproval: ReadonlyArray<Pod>
  readonly unstartable: ReadonlyArray<Pod>
  readonly unschedulable: ReadonlyArray<Pod>
  readonly restarts: number
}

/** Computed for each observation: keeping facts of each version of a Pod takes longer. */
export const newPodFacts = memoizePerObservation(
  ({ newPods, newReplicaSet }: Pick<SteeringObservation, "newPods" | "newReplicaSet">): NewPodFacts => {
    const facts = {
      withContainersReady: [] as Array<Pod>,
      waitingForApproval: [] as Array<Pod>,
      unstartable: [] as Array<Pod>,
      unschedulable: [] as Array<Pod>,
      restarts: 0
    }
    for (const pod of newPods) {
      if (areContainersReady(pod)) {
        facts.withContainersReady.push(pod)
        if (!isApproved(pod)) facts.waitingForApproval.push(pod)
      } else if (unschedulableCondition(pod) !== undefined && !mayHaveHadGates(pod, newReplicaSet))
        facts.unschedulable.push(pod)
      if (unstartableContainer(pod) !== undefined) facts.unstartable.push(pod)
      facts.restarts += restartCountOf(pod)
    }
    return facts
  }
)

/**
 * The removal of scheduling gates changes a Pod, but keeps the condition's `lastTransitionTime`. Before release 1.33
 * Pods have no `generation`: gates in the template count.
 */
const mayHaveHadGates = ({ metadata }: Pod, replicaSet: ReplicaSet | undefined): boolean =>
  metadata.generation === undefined
    ? (replicaSet?.spec.template.spec?.schedulingGates ?? []).length > 0
    : metadata.generation > 1

interface LatestPodTimes {
  /** When a Pod was last created, or a container started for the first time, in Unix milliseconds. */
  readonly startedMillis: number
  /** When a Pod was last approved; 0 if none is. */
  readonly approvedMillis: number
}

export const latestPodTimes = ({ newPods }: Pick<SteeringObservation, "newPods">): LatestPodTimes => ({
  startedMillis: newPods.reduce((latest, pod) => Math.max(latest, startedMillis(pod)), 0),
  approvedMillis: newPods.reduce((latest, pod) => Math.max(latest, approvedMillis(pod)), 0)
})

const startedMillis = ({ metadata, status }: Pod): number =>
  Math.max(
    timestampMillis(metadata.creationTimestamp ?? "") || 0,
    latestStartMillis(status.initContainerStatuses),
    latestStartMillis(status.containerStatuses)
  )

const latestStartMillis = (statuses: ReadonlyArray<ContainerStatus> = []): number => {
  let latest = 0
  for (const { state, lastState, restartCount } of statuses) {
    const { startedAt } = state?.running ?? state?.terminated ?? lastState?.terminated ?? {}
    if (startedAt !== undefined && restartCount === 0)
      latest = Math.max(latest, timestampMillis(startedAt) || 0)
  }
  return latest
}

const approvedMillis = ({ status }: Pod): number => {
  const approval = conditionOf(status.conditions, approvalGate)
  return approval?.status === "True" ? timestampMillis(approval.lastTransitionTime ?? "") || 0 : 0
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

/** Not memoized, since this is called for every version of a Pod. */
export const isFailingPod = (pod: Pod): boolean =>
  restartCountOf(pod) > 0 || unstartableContainer(pod) !== undefined
