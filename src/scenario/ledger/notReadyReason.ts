import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { isPodActive, isPodReady } from "../../kubernetes/pods/podState.ts"
import { withoutPreemptionText } from "../../kubernetes/scheduling/placementSentences.ts"
import type { ContainerStatus, Pod } from "../../kubernetes/meta/objects.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"

/** Why a Pod that should serve is not ready, in words for several Pods. `events` tell which probe failed. */
export const whyPodsNotReady = (
  pod: Pod,
  events: ReadonlyArray<NormalizedEvent> = []
): string | undefined => {
  if (!isPodActive(pod) || isPodReady(pod)) return undefined
  return (
    obstacleOf(pod, events) ??
    (pod.status.phase === "Running" ? "Pods run and are not ready" : "Pods had not started yet")
  )
}

/** Why a Pod that should serve is not ready, in words for one Pod. */
export const whyNotReady = (pod: Pod): string | undefined => {
  if (!isPodActive(pod) || isPodReady(pod)) return undefined
  return (
    obstacleOf(pod) ??
    (pod.status.phase === "Running" ? "it runs and is not ready" : "it has not started yet")
  )
}

/** Whether the Pod only needs time to start. */
export const isStarting = (pod: Pod): boolean =>
  isPodActive(pod) && !isPodReady(pod) && obstacleOf(pod) === undefined

/** Why the Pod will not become ready by itself. */
const obstacleOf = (
  { status, metadata }: Pod,
  events: ReadonlyArray<NormalizedEvent> = []
): string | undefined => {
  const scheduled = conditionOf(status.conditions, "PodScheduled")
  if (scheduled?.reason === "Unschedulable")
    return `Unschedulable: ${withoutPreemptionText(scheduled.message ?? "")}`
  const podEvents = events.filter(({ involvedObject }) => involvedObject.uid === metadata.uid)
  const { initContainerStatuses = [], containerStatuses = [] } = status
  const pendingInit = initContainerStatuses.filter(({ state }) => state?.terminated?.exitCode !== 0)
  for (const container of [...pendingInit, ...containerStatuses]) {
    const reason = whyNotRunning(container, podEvents)
    if (reason !== undefined) return reason
  }
  const attachment = podEvents.findLast(({ reason }) => reason === "FailedAttachVolume")
  return status.phase !== "Pending" || attachment === undefined
    ? undefined
    : `FailedAttachVolume: ${withoutUsers(attachment.message)}`
}

/** The Pods that use a volume have other names with each seed. */
const withoutUsers = (message: string): string => message.replace(/ Volume is already .*$/su, "")

const whyNotRunning = (
  { name, image, state, lastState }: ContainerStatus,
  events: ReadonlyArray<NormalizedEvent>
): string | undefined => {
  const { reason: waitingReason, message } = state?.waiting ?? {}
  const terminated = state?.terminated ?? lastState?.terminated
  const probe = terminated === undefined ? undefined : probeThatEnded(name, events)
  if (terminated !== undefined && (probe !== undefined || state?.running === undefined)) {
    const { exitCode, reason = "Error" } = terminated
    // The failed probe is the cause, whether the container is in back-off or already restarted.
    const why = probe === undefined ? waitingReason : `${probe} probe failed`
    return `${why === undefined ? "" : `${why}: `}container ${JSON.stringify(name)} ended with exit code ${exitCode} (${reason})`
  }
  if (waitingReason === "ImagePullBackOff" || waitingReason === "ErrImagePull")
    return `ImagePullBackOff: image ${JSON.stringify(image)} could not be pulled`
  return waitingReason === undefined || startingReasons.has(waitingReason)
    ? undefined
    : `${waitingReason}: ${message ?? ""}`
}

const startingReasons: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"])

/**
 * Only an event tells which probe caused a restart.
 * Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go (computePodActions).
 */
const probeThatEnded = (name: string, events: ReadonlyArray<NormalizedEvent>): string | undefined => {
  let latest: { readonly probe: string; readonly at: string } | undefined
  for (const { reason, message, lastTimestamp } of events) {
    const [, container, probe = ""] = (reason === "Killing" && killingMessage.exec(message)) || []
    if (container !== name || (latest !== undefined && latest.at > lastTimestamp)) continue
    latest = { probe: probe === "startup" ? "Startup" : "Liveness", at: lastTimestamp }
  }
  return latest?.probe
}

const killingMessage = /^(?:Container|Init container) (\S+) failed (startup|liveness) probe/
