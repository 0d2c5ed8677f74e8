import { conditionOf } from "./conditions.ts"
import { isReady } from "./pods.ts"
import { isTerminating } from "./ownerReferences.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { ContainerStatus, Pod } from "./objects.ts"

/** Source: pkg/printers/internalversion/printers.go (printPod). */

const initStatusesOf = (pod: Pod): ReadonlyArray<ContainerStatus> => pod.status.initContainerStatuses ?? []
export const statusesOf = (pod: Pod): ReadonlyArray<ContainerStatus> => pod.status.containerStatuses ?? []

/** An init container that goes on beside the others. */
export const isSidecar = (pod: Pod, name: string): boolean =>
  (pod.spec.initContainers ?? []).some(
    (container) => container.name === name && container.restartPolicy === "Always"
  )

export const sidecarsOf = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  initStatusesOf(pod).filter(({ name }) => isSidecar(pod, name))

/** The one word for how a Pod is: what `kubectl get pods` has as its status. */
export const podWord = (pod: Pod): string => {
  const scheduled = conditionOf(pod.status.conditions, "PodScheduled")
  const isGated = scheduled?.reason === "SchedulingGated"
  const start = isGated ? "SchedulingGated" : (pod.status.reason ?? pod.status.phase)
  const word = initWord(pod) ?? containerWord(pod, start)
  const isOver = pod.status.phase === "Succeeded" || pod.status.phase === "Failed"
  if (!isTerminating(pod)) return word
  if (pod.status.reason === "NodeLost") return "Unknown"
  return isOver ? word : "Terminating"
}

/** The first init container that is not done speaks for the Pod; undefined when all are. */
const initWord = (pod: Pod): string | undefined => {
  const { initContainers = [] } = pod.spec
  for (const [index, status] of initStatusesOf(pod).entries()) {
    const { terminated, waiting } = status.state ?? {}
    if (terminated?.exitCode === 0) continue
    if (isSidecar(pod, status.name) && status.started === true) continue
    if (terminated !== undefined) return `Init:${endWord(terminated)}`
    if (waiting?.reason !== undefined && waiting.reason !== "" && waiting.reason !== "PodInitializing") {
      return `Init:${waiting.reason}`
    }
    return `Init:${index}/${initContainers.length}`
  }
  return undefined
}

const endWord = ({ reason, signal, exitCode }: Core.ContainerStateTerminated): string => {
  if (reason !== undefined && reason !== "") return reason
  return signal !== undefined && signal !== 0 ? `Signal:${signal}` : `ExitCode:${exitCode}`
}

/** From the last container to the first, each overrules the one before. */
const containerWord = (pod: Pod, start: string): string => {
  let word = start
  let hasRunning = false
  let lastError: string | undefined
  for (const { state, ready } of statusesOf(pod).toReversed()) {
    if (state?.waiting?.reason !== undefined && state.waiting.reason !== "") word = state.waiting.reason
    else if (state?.terminated !== undefined) {
      word = endWord(state.terminated)
      if (state.terminated.exitCode !== 0) lastError = word
    } else if (ready && state?.running !== undefined) hasRunning = true
  }
  if (word !== "Completed") return word
  if (hasRunning) return isReady(pod) ? "Running" : "NotReady"
  return lastError ?? word
}

/** The containers whose restarts `kubectl get pods` counts: those for init until they are done, then the others. */
export const speakingOf = (pod: Pod): ReadonlyArray<ContainerStatus> =>
  initWord(pod) === undefined ? [...sidecarsOf(pod), ...statusesOf(pod)] : initStatusesOf(pod)

/** How often they have been started again. */
export const restartsShown = (pod: Pod): number =>
  speakingOf(pod).reduce((sum, { restartCount }) => sum + restartCount, 0)
