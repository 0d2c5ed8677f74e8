import { isApproved, areContainersReady } from "./podApproval.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { restartCountOf, startFailureReasons } from "../pods/podState.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { ContainerStatus, Pod } from "../meta/objects.ts"
import type { SteeringObservation } from "./steeringObservation.ts"

interface PodFacts {
  readonly isApproved: boolean
  readonly areContainersReady: boolean
  readonly isUnstartable: boolean
  readonly restarts: number
  /** When the Pod or all of its containers became ready, in Unix milliseconds; 0 if neither is ready. */
  readonly progressMillis: number
}

export const podFactsOf = (pod: Pod): PodFacts => {
  const known = factsByPod.get(pod)
  if (known !== undefined) return known
  const facts = {
    isApproved: isApproved(pod),
    areContainersReady: areContainersReady(pod),
    isUnstartable: unstartableContainer(pod) !== undefined,
    restarts: restartCountOf(pod),
    progressMillis: progressMillis(pod)
  }
  factsByPod.set(pod, facts)
  return facts
}

const factsByPod = new WeakMap<Pod, PodFacts>()

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

interface NewPodFacts {
  readonly withContainersReady: ReadonlyArray<Pod>
  readonly waitingForApproval: ReadonlyArray<Pod>
  readonly unstartable: ReadonlyArray<Pod>
  readonly restarts: number
  readonly progressMillis: number
}

export const newPodFacts = memoizePerObservation(
  ({ newPods }: Pick<SteeringObservation, "newPods">): NewPodFacts => {
    const [withContainersReady, waitingForApproval, unstartable]: [Array<Pod>, Array<Pod>, Array<Pod>] = [
      [],
      [],
      []
    ]
    let restarts = 0
    let latestMillis = 0
    for (const pod of newPods) {
      const facts = podFactsOf(pod)
      if (facts.areContainersReady) withContainersReady.push(pod)
      if (facts.areContainersReady && !facts.isApproved) waitingForApproval.push(pod)
      if (facts.isUnstartable) unstartable.push(pod)
      restarts += facts.restarts
      latestMillis = Math.max(latestMillis, facts.progressMillis)
    }
    return { withContainersReady, waitingForApproval, unstartable, restarts, progressMillis: latestMillis }
  }
)

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
