import { memoizeUpTo } from "../meta/text/memoizeUpTo.ts"
import { containerStatuses } from "./containers/containerStatuses.ts"
import { podConditions } from "./podConditions.ts"
import { endedContainers } from "./endedContainers.ts"
import { isTerminalPhase } from "./podState.ts"
import { podPhaseOf } from "./podPhase.ts"
import { withDisruptionCondition } from "./kubeletEndings.ts"
import { withResizeStatus, type ResizeDecision } from "./podResize.ts"
import { timestampOf } from "../meta/amounts/timestamps.ts"
import type { ContainerFacts } from "./containers/containers.ts"
import type { Pod, PodStatus } from "../meta/objects.ts"
import type { PodEnding, KubeletEnding } from "./podLife.ts"

/** Source: kubelet_pods.go (generateAPIPodStatus), active_deadline.go. */
export const podStatus = (options: {
  readonly pod: Pod
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly ephemerals?: ReadonlyArray<ContainerFacts> | undefined
  readonly ending?: PodEnding | undefined
  readonly addresses: { readonly podIP: string; readonly hostIP: string }
  readonly nowMillis: number
  readonly resize?: ResizeDecision | undefined
  readonly areVolumesMounted?: boolean | undefined
}): PodStatus => {
  const { pod, ephemerals, ending, resize, addresses, nowMillis, areVolumesMounted = true } = options
  const { status } = pod
  const { generation } = pod.metadata
  const phase = podPhaseOf(pod, options.containers, ending)
  const hasEnded = isTerminalPhase(phase) && options.containers.every(({ doing }) => doing !== "running")
  const containers = hasEnded ? endedContainers(pod, options.containers) : options.containers
  // The Ready condition shows the failure at once, the phase only when no container runs.
  const kubeletEnding = kubeletEndingOf(ending)
  const expectedPhase = kubeletEnding === undefined ? phase : "Failed"
  const conditions = podConditions({ pod, containers, phase, expectedPhase, nowMillis, areVolumesMounted })
  const inits = containers.filter(({ role }) => role === "init" || role === "sidecar")
  const apps = containers.filter(({ role }) => role === "app")
  const report: PodStatus = {
    ...status,
    ...(generation === undefined ? undefined : { observedGeneration: generation }),
    phase,
    ...(phase === "Failed" ? kubeletEnding : undefined),
    conditions:
      kubeletEnding !== undefined && phase === "Failed"
        ? withDisruptionCondition(kubeletEnding, { pod, conditions, nowMillis })
        : conditions,
    hostIP: status.hostIP ?? addresses.hostIP,
    hostIPs: status.hostIPs ?? hostIPsOf(addresses.hostIP),
    ...(areVolumesMounted
      ? { podIP: status.podIP ?? addresses.podIP, podIPs: status.podIPs ?? [{ ip: addresses.podIP }] }
      : undefined),
    startTime: status.startTime ?? timestampOf(nowMillis),
    ...(inits.length === 0 ? undefined : { initContainerStatuses: containerStatuses(pod, inits, nowMillis) }),
    containerStatuses: containerStatuses(pod, apps, nowMillis),
    ...(ephemerals === undefined
      ? undefined
      : { ephemeralContainerStatuses: containerStatuses(pod, ephemerals, nowMillis) })
  }
  return resize === undefined
    ? report
    : withResizeStatus(report, { pod, decision: resize, appContainers: apps, nowMillis })
}

/** All Pods of a node share the list. */
const hostIPsOf = memoizeUpTo(1000, (hostIP: string): NonNullable<PodStatus["hostIPs"]> => {
  const hostIPs = [Object.freeze({ ip: hostIP })]
  Object.freeze(hostIPs)
  return hostIPs
})

const kubeletEndingOf = (ending: PodEnding | undefined): KubeletEnding | undefined => {
  if (ending === "overdue") return deadlineExceeded
  return ending === "deleted" ? undefined : ending
}

export const deadlineExceeded = Object.freeze({
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline"
})
