import { conditionOf } from "../../domain/conditions.ts"
import { isActive, isReady } from "../../domain/pods.ts"
import type { ContainerStatus, Pod } from "../../domain/objects.ts"
import type { WholeEvent } from "../../domain/wholeEvent.ts"

/**
 * Why Pods that should serve are not ready, without what is true of one alone; undefined for one that is. Its events
 * tell which probe has ended a container.
 */
export const whyNotAvailable = (pod: Pod, events: ReadonlyArray<WholeEvent> = []): string | undefined => {
  if (!isActive(pod) || isReady(pod)) return undefined
  return (
    obstacle(pod, events) ??
    (pod.status.phase === "Running" ? "Pods run and are not ready" : "Pods had not started yet")
  )
}

/** The same, of one Pod. */
export const whyNotReady = (pod: Pod): string | undefined => {
  if (!isActive(pod) || isReady(pod)) return undefined
  return (
    obstacle(pod) ?? (pod.status.phase === "Running" ? "it runs and is not ready" : "it has not started yet")
  )
}

/** Whether it is not ready for no other reason than that it takes its time. */
export const isOnItsWay = (pod: Pod): boolean => isActive(pod) && !isReady(pod) && obstacle(pod) === undefined

const obstacle = ({ status, metadata }: Pod, events: ReadonlyArray<WholeEvent> = []): string | undefined => {
  const scheduled = conditionOf(status.conditions, "PodScheduled")
  if (scheduled?.reason === "Unschedulable") return `Unschedulable: ${scheduled.message ?? ""}`
  const own = events.filter(({ involvedObject }) => involvedObject.uid === metadata.uid)
  const { initContainerStatuses = [], containerStatuses = [] } = status
  // What is for init and has ended well has done what it is for.
  const waitedFor = initContainerStatuses.filter(({ state }) => state?.terminated?.exitCode !== 0)
  for (const container of [...waitedFor, ...containerStatuses]) {
    const reason = whyNotRunning(container, own)
    if (reason !== undefined) return reason
  }
  return undefined
}

const whyNotRunning = (
  { name, image, state, lastState }: ContainerStatus,
  events: ReadonlyArray<WholeEvent>
): string | undefined => {
  const { reason: waiting, message } = state?.waiting ?? {}
  const ended = state?.terminated ?? lastState?.terminated
  const probe = ended === undefined ? undefined : probeThatEnded(name, events)
  if (ended !== undefined && (probe !== undefined || state?.running === undefined)) {
    const { exitCode, reason = "Error" } = ended
    // Whether it is held back just now or has been started again, the probe is why.
    const why = probe === undefined ? waiting : `${probe} probe failed`
    return `${why === undefined ? "" : `${why}: `}container ${JSON.stringify(name)} ended with exit code ${exitCode} (${reason})`
  }
  if (waiting === "ImagePullBackOff" || waiting === "ErrImagePull")
    return `ImagePullBackOff: image ${JSON.stringify(image)} could not be pulled`
  // Whatever else keeps a container from being created says so itself.
  return waiting === undefined || beginnings.has(waiting) ? undefined : `${waiting}: ${message ?? ""}`
}

const beginnings: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"])

/**
 * Which probe had a container ended the last time; a status does not tell.
 *
 * Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go (computePodActions).
 */
const probeThatEnded = (name: string, events: ReadonlyArray<WholeEvent>): string | undefined => {
  let latest: { readonly probe: string; readonly at: string } | undefined
  for (const { reason, message, lastTimestamp } of events) {
    const [, container, probe = ""] = (reason === "Killing" && killing.exec(message)) || []
    if (container !== name || (latest !== undefined && latest.at > lastTimestamp)) continue
    latest = { probe: probe === "startup" ? "Startup" : "Liveness", at: lastTimestamp }
  }
  return latest?.probe
}

const killing = /^(?:Container|Init container) (\S+) failed (startup|liveness) probe/
