import { conditionOf } from "../meta/conditions.ts"
import { isPodFinished, isPodReady } from "./podState.ts"
import { isSidecar } from "./containers/containers.ts"
import { isTerminating } from "../meta/deletion.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerStatus, Pod } from "../meta/objects.ts"

/**
 * Pod status text of `kubectl get pods`.
 * Source: pkg/printers/internalversion/printers.go (printPod).
 */

const initStatusesOf = (pod: Pod): ReadonlyArray<ContainerStatus> => pod.status.initContainerStatuses ?? []
export const appContainerStatuses = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  pod.status.containerStatuses ?? []

export const hasSidecar = (pod: Pod, name: string): boolean =>
  (pod.spec.initContainers ?? []).some((container) => container.name === name && isSidecar(container))

export const sidecarStatuses = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  initStatusesOf(pod).filter(({ name }) => hasSidecar(pod, name))

export const podStatusText = (pod: Pod): string => {
  const scheduled = conditionOf(pod.status.conditions, "PodScheduled")
  const isGated = scheduled?.reason === "SchedulingGated"
  const initialText = isGated ? "SchedulingGated" : (pod.status.reason ?? pod.status.phase)
  const text = initStatusText(pod) ?? containerStatusText(pod, initialText)
  if (!isTerminating(pod)) return text
  if (pod.status.reason === "NodeLost") return "Unknown"
  return isPodFinished(pod) ? text : "Terminating"
}

const initStatusText = (pod: Pod): string | undefined => {
  const { initContainers = [] } = pod.spec
  for (const [index, status] of initStatusesOf(pod).entries()) {
    const { terminated, waiting } = status.state ?? {}
    if (terminated?.exitCode === 0) continue
    if (hasSidecar(pod, status.name) && status.started === true) continue
    if (terminated !== undefined) return `Init:${exitText(terminated)}`
    if (waiting?.reason !== undefined && waiting.reason !== "" && waiting.reason !== "PodInitializing") {
      return `Init:${waiting.reason}`
    }
    return `Init:${index}/${initContainers.length}`
  }
  return undefined
}

const exitText = ({ reason, signal, exitCode }: Core.ContainerStateTerminated): string => {
  if (reason !== undefined && reason !== "") return reason
  return signal !== undefined && signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`
}

const containerStatusText = (pod: Pod, initialText: string): string => {
  let text = initialText
  let hasRunning = false
  let lastError: string | undefined
  for (const { state, ready } of appContainerStatuses(pod).toReversed()) {
    if (state?.waiting?.reason !== undefined && state.waiting.reason !== "") text = state.waiting.reason
    else if (state?.terminated !== undefined) {
      text = exitText(state.terminated)
      if (state.terminated.exitCode !== 0) lastError = text
    } else if (ready && state?.running !== undefined) hasRunning = true
  }
  if (text !== "Completed") return text
  if (hasRunning) return isPodReady(pod) ? "Running" : "NotReady"
  return lastError ?? text
}

/**
 * The containers whose restarts `kubectl get pods` counts: init containers until they are done, then sidecars and
 * app containers.
 */
export const shownContainerStatuses = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  initStatusText(pod) === undefined
    ? [...sidecarStatuses(pod), ...appContainerStatuses(pod)]
    : initStatusesOf(pod)

export const shownRestarts = (pod: Pod): number =>
  shownContainerStatuses(pod).reduce((sum, { restartCount }) => sum + restartCount, 0)
