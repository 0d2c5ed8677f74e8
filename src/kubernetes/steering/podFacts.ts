import { approvalGate } from "./steeringNames.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { restartCountOf, startFailureReasons } from "../pods/podState.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { ContainerStatus, Pod } from "../meta/objects.ts"
import type { SteeringObservation } from "./steeringObservation.ts"

/** What a look finds out about the Pods of the new revision. */
interface NewPodFacts {
  /** Those whose containers are ready; without an approval they are not Ready yet. */
  readonly up: ReadonlyArray<Pod>
  /** Those that are up and not approved. */
  readonly waiting: ReadonlyArray<Pod>
  /** Those with a container that cannot start. */
  readonly stuck: ReadonlyArray<Pod>
  /** Restarts of the containers of all. */
  readonly restarts: number
  /** When one of them was last found ready, but perhaps for its approval; 0 if none is. */
  readonly progressMillis: number
}

/** Goes through the Pods once: the guards of a chart ask for these facts many times. */
export const newPodFacts = memoizePerObservation(
  ({ newPods }: Pick<SteeringObservation, "newPods">): NewPodFacts => {
    const [up, waiting, stuck]: [Array<Pod>, Array<Pod>, Array<Pod>] = [[], [], []]
    let restarts = 0
    // Times of conditions are all written alike, so that their texts are in the order of time.
    let progressTime = ""
    for (const pod of newPods) {
      let isUp = false
      let isApproved = false
      for (const { type, status, lastTransitionTime } of pod.status.conditions ?? []) {
        if (status !== "True") continue
        if (type === approvalGate) isApproved = true
        if (type === "ContainersReady") isUp = true
        if (type !== "Ready" && type !== "ContainersReady") continue
        if (lastTransitionTime !== undefined && lastTransitionTime > progressTime)
          progressTime = lastTransitionTime
      }
      if (isUp) up.push(pod)
      if (isUp && !isApproved) waiting.push(pod)
      if (stuckContainer(pod) !== undefined) stuck.push(pod)
      restarts += restartCountOf(pod)
    }
    const progressMillis = progressTime === "" ? 0 : timestampMillis(progressTime)
    return { up, waiting, stuck, restarts, progressMillis }
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

/** Whether a Pod cannot start or has restarted, which a budget of failures limits. */
export const isFailingPod = (pod: Pod): boolean =>
  restartCountOf(pod) > 0 || stuckContainer(pod) !== undefined
