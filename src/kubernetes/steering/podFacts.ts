import { isApproved, isUp } from "./podApproval.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { restartCountOf, startFailureReasons } from "../pods/podState.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { ContainerStatus, Pod } from "../meta/objects.ts"
import type { SteeringObservation } from "./steeringObservation.ts"

/** What guards ask of every Pod. */
interface PodFacts {
  readonly isApproved: boolean
  /** Whether its containers are ready; without an approval it is not Ready yet. */
  readonly isUp: boolean
  /** Whether one of its containers cannot start. */
  readonly isStuck: boolean
  readonly restarts: number
  /** When the Pod, or all of its containers, last became ready, in Unix milliseconds; 0 if neither is ready. */
  readonly progressMillis: number
}

/** Found out once for each version of a Pod: from one look to the next, most Pods of a rollout do not change. */
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

/** What a look finds out about the Pods of the new revision. */
interface NewPodFacts {
  readonly up: ReadonlyArray<Pod>
  /** Those that are up and not approved. */
  readonly waiting: ReadonlyArray<Pod>
  readonly stuck: ReadonlyArray<Pod>
  /** The restarts of all. */
  readonly restarts: number
  /** The latest of all. */
  readonly progressMillis: number
}

/** Goes through the Pods once: the guards of a chart ask for these facts many times. */
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

/** Reasons of a container that waits for its image and cannot get it. Source: pkg/kubelet/images/types.go. */
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

/** The first container that cannot start. */
export const stuckContainer = ({ status }: Pod): ContainerStatus | undefined =>
  status.initContainerStatuses?.find(isStuck) ?? status.containerStatuses?.find(isStuck)

/**
 * Whether a Pod cannot start or has restarted, which a budget of failures limits. Not memoized: it is called for every
 * version of a Pod, and a controller's look reads only few of the versions.
 */
export const isFailingPod = (pod: Pod): boolean =>
  restartCountOf(pod) > 0 || stuckContainer(pod) !== undefined
