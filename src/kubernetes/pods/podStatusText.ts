import { conditionOf } from "../meta/conditions.ts"
import { isPodFinished, isPodReady } from "./podState.ts"
import { isSidecar } from "./containers/containerRoles.ts"
import { isTerminating } from "../meta/deletion.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerStatus, Pod } from "../meta/objects.ts"

/** Source: printers.go (printPod). */

const initStatusesOf = (pod: Pod): ReadonlyArray<ContainerStatus> => pod.status.initContainerStatuses ?? []
export const appContainerStatuses = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  pod.status.containerStatuses ?? []

export const isSidecarNamed = (pod: Pod, name: string): boolean =>
  (pod.spec.initContainers ?? []).some((container) => container.name === name && isSidecar(container))

const reachedInitStatuses = (pod: Pod): ReadonlyArray<ContainerStatus> => {
  const statuses = initStatusesOf(pod)
  const current = statuses.findIndex((status) => !allowsNextInitContainer(pod, status))
  return current === -1 ? statuses : statuses.slice(0, current + 1)
}

const allowsNextInitContainer = (pod: Pod, { name, state, started }: ContainerStatus): boolean =>
  state?.terminated?.exitCode === 0 || (started === true && isSidecarNamed(pod, name))

export const sidecarStatuses = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  reachedInitStatuses(pod).filter(({ name }) => isSidecarNamed(pod, name))

export const podStatusText = (pod: Pod): string => {
  const scheduled = conditionOf(pod.status.conditions, "PodScheduled")
  const isGated = scheduled?.reason === "SchedulingGated"
  const initialText = isGated ? "SchedulingGated" : (pod.status.reason ?? pod.status.phase)
  const startText = initStatusText(pod) ?? initialText
  const text = isInitialized(pod) ? containerStatusText(pod, startText) : startText
  if (!isTerminating(pod)) return text
  if (pod.status.reason === "NodeLost") return "Unknown"
  return isPodFinished(pod) ? text : "Terminating"
}

/** Once initialized, a Pod stays so while a sidecar restarts. */
const isInitialized = (pod: Pod): boolean =>
  initStatusesOf(pod).every((status) => allowsNextInitContainer(pod, status)) ||
  conditionOf(pod.status.conditions, "Initialized")?.status === "True"

const initStatusText = (pod: Pod): string | undefined => {
  const { initContainers = [] } = pod.spec
  const reached = reachedInitStatuses(pod)
  const current = reached.at(-1)
  if (current === undefined || allowsNextInitContainer(pod, current)) return undefined
  const { terminated, waiting } = current.state ?? {}
  if (terminated !== undefined) return `Init:${exitText(terminated)}`
  return waiting?.reason !== undefined && waiting.reason !== "" && waiting.reason !== "PodInitializing"
    ? `Init:${waiting.reason}`
    : `Init:${reached.length - 1}/${initContainers.length}`
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

/** `kubectl get pods` counts the restarts of these containers. */
export const shownContainerStatuses = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  isInitialized(pod) ? [...sidecarStatuses(pod), ...appContainerStatuses(pod)] : reachedInitStatuses(pod)

export const shownRestarts = (pod: Pod): number =>
  shownContainerStatuses(pod).reduce((sum, { restartCount }) => sum + restartCount, 0)
