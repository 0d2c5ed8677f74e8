import { isApproved, isUp } from "./podApproval.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { restartCountOf, startFailureReasons } from "../pods/podState.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { ContainerStatus, Pod } from "../meta/objects.ts"
import type { SteeringObservation } from "./steeringObservation.ts"

interface PodFacts {
  readonly isApproved: boolean
  readonly isUp: boolean
  readonly isStuck: boolean
  readonly restarts: number
  /** When the Pod or all of its containers became ready, in Unix milliseconds; 0 if neither is ready. */
  readonly progressMillis: number
}

export const factsOf = (pod: Pod): PodFacts => {
  const known = factsByPod.get(pod)
  if (known !== undefined) return known
  const facts = {
    isApproved: isApproved(pod),
    isUp: isUp(pod),
    isStuck: stuckContainer(pod) !== undefined,
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
  readonly up: ReadonlyArray<Pod>
  readonly waiting: ReadonlyArray<Pod>
  readonly stuck: ReadonlyArray<Pod>
  readonly restarts: number
  readonly progressMillis: number
}

export const newPodFacts = memoizePerObservation(
  ({ newPods }: Pick<SteeringObservation, "newPods">): NewPodFacts => {
    const [up, waiting, stuck]: [Array<Pod>, Array<Pod>, Array<Pod>] = [[], [], []]
    let restarts = 0
    let latestMillis = 0
    for (const pod of newPods) {
      const facts = factsOf(pod)
      if (facts.isUp) up.push(pod)
      if (facts.isUp && !facts.isApproved) waiting.push(pod)
      if (facts.isStuck) stuck.push(pod)
      restarts += facts.restarts
      latestMillis = Math.max(latestMillis, facts.progressMillis)
    }
    return { up, waiting, stuck, restarts, progressMillis: latestMillis }
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

const isStuck = ({ state }: ContainerStatus): boolean => {
  const reason = state?.waiting?.reason
  return reason !== undefined && (imageFailureReasons.has(reason) || startFailureReasons.has(reason))
}

export const stuckContainer = ({ status }: Pod): ContainerStatus | undefined =>
  status.initContainerStatuses?.find(isStuck) ?? status.containerStatuses?.find(isStuck)

/** Not memoized, since this is called for every version of a Pod. */
export const isFailingPod = (pod: Pod): boolean =>
  restartCountOf(pod) > 0 || stuckContainer(pod) !== undefined
