import { isApproved, isGatedPod, isUp, isWaitingForApproval } from "./podApproval.ts"
import { isPodActive, restartCountOf, startFailureReasons } from "../pods/podState.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { ContainerStatus, Pod } from "../meta/objects.ts"

/** What each look asks of every Pod. */
interface PodFacts {
  readonly isActive: boolean
  readonly isGated: boolean
  readonly isApproved: boolean
  readonly isWaitingForApproval: boolean
  readonly isUp: boolean
  /** Whether one of its containers cannot start. */
  readonly isStuck: boolean
  readonly restarts: number
  /** When it was last found ready, but perhaps for its approval; 0 if it is not. */
  readonly progressMillis: number
}

/** Found out once for each version of a Pod: from one look to the next, most Pods of a rollout do not change. */
export const factsOf = (pod: Pod): PodFacts => {
  const known = factsByPod.get(pod)
  if (known !== undefined) return known
  const facts = {
    isActive: isPodActive(pod),
    isGated: isGatedPod(pod),
    isApproved: isApproved(pod),
    isWaitingForApproval: isWaitingForApproval(pod),
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
