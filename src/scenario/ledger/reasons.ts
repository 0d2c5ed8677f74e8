import { conditionOf } from "../../domain/conditions.ts"
import { isActive, isReady } from "../../domain/pods.ts"
import type { ContainerStatus, Pod } from "../../domain/objects.ts"

/** Why Pods that should serve are not ready, without what is true of one alone; undefined for one that is. */
export const whyNotAvailable = (pod: Pod): string | undefined => {
  if (!isActive(pod) || isReady(pod)) return undefined
  return (
    obstacle(pod) ??
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

const obstacle = (pod: Pod): string | undefined => {
  const scheduled = conditionOf(pod.status.conditions, "PodScheduled")
  if (scheduled?.reason === "Unschedulable") return `Unschedulable: ${scheduled.message ?? ""}`
  for (const status of pod.status.containerStatuses ?? []) {
    const reason = whyNotRunning(status)
    if (reason !== undefined) return reason
  }
  return undefined
}

const whyNotRunning = ({ name, image, state, lastState }: ContainerStatus): string | undefined => {
  const waiting = state?.waiting?.reason
  const ended = state?.terminated ?? lastState?.terminated
  if (ended !== undefined && state?.running === undefined) {
    const { exitCode, reason = "Error" } = ended
    const held = waiting === undefined ? "" : `${waiting}: `
    return `${held}container ${JSON.stringify(name)} ended with exit code ${exitCode} (${reason})`
  }
  if (waiting === "ImagePullBackOff" || waiting === "ErrImagePull")
    return `ImagePullBackOff: image ${JSON.stringify(image)} could not be pulled`
  return undefined
}
