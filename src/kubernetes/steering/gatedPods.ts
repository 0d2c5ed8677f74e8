import { approvalGate } from "./steeringNames.ts"
import { conditionOf, noProbeTime, replaceConditions, transitionTime } from "../meta/conditions.ts"
import { isPodActive, restartCountOf } from "../pods/podState.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { ContainerStatus, Deployment, Pod } from "../meta/objects.ts"

/** The Pods of a steered rollout: the readiness gate `charthouse.dev/approved`, and how they do. */

type GatedSpec = { readonly readinessGates?: ReadonlyArray<{ readonly conditionType: string }> } | undefined

const hasGate = (spec: GatedSpec): boolean => {
  for (const { conditionType } of spec?.readinessGates ?? []) if (conditionType === approvalGate) return true
  return false
}

export const isGatedTemplate = ({ spec }: Deployment["spec"]["template"]): boolean => hasGate(spec)

export const isGatedPod = ({ spec }: Pod): boolean => hasGate(spec)

export const isApproved = ({ status }: Pod): boolean =>
  conditionOf(status.conditions, approvalGate)?.status === "True"

/** Whether its containers are ready. */
const isUp = ({ status }: Pod): boolean =>
  conditionOf(status.conditions, "ContainersReady")?.status === "True"

export const isWaitingForApproval = (pod: Pod): boolean => !isApproved(pod) && isUp(pod)

export const withApproval = (
  pod: Pod,
  {
    isOpen,
    reason,
    message
  }: { readonly isOpen: boolean; readonly reason: string; readonly message: string },
  nowMillis: number
): Pod => {
  const present = pod.status.conditions ?? []
  const status = isOpen ? "True" : "False"
  const before = conditionOf(present, approvalGate)
  const condition = {
    type: approvalGate,
    status,
    reason,
    message,
    lastProbeTime: noProbeTime,
    lastTransitionTime: transitionTime(before, status, nowMillis)
  }
  return { ...pod, status: { ...pod.status, conditions: replaceConditions(present, [condition]) } }
}

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

/**
 * The reasons of a container that waits because it cannot start.
 * Source: pkg/kubelet/images/types.go, pkg/kubelet/kuberuntime/kuberuntime_container.go,
 * pkg/kubelet/container/sync_result.go.
 */
const cannotStartReasons: ReadonlySet<string> = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "ErrImageNeverPull",
  "ImageInspectError",
  "InvalidImageName",
  "RegistryUnavailable",
  "SignatureValidationFailed",
  "CreateContainerConfigError",
  "CreateContainerError",
  "PreCreateHookError",
  "PreStartHookError",
  "PostStartHookError",
  "RunContainerError"
])

const isStuck = ({ state }: ContainerStatus): boolean =>
  state?.waiting !== undefined && cannotStartReasons.has(state.waiting.reason ?? "")

/** The first container that cannot start. */
export const stuckContainer = ({ status }: Pod): ContainerStatus | undefined =>
  status.initContainerStatuses?.find(isStuck) ?? status.containerStatuses?.find(isStuck)
