import { isPodReady } from "../../kubernetes/pods/podState.ts"
import type { ContainerStatus, Pod } from "../../kubernetes/meta/objects.ts"

export type PodMark = "waiting" | "starting" | "ready" | "trouble" | "stopping" | "done" | "lost"

export const podMarkTexts: Readonly<Record<PodMark, string>> = {
  waiting: "has no node yet",
  starting: "is starting, or not ready",
  ready: "is ready",
  trouble: "is in trouble",
  stopping: "is stopping",
  done: "has ended",
  lost: "is on a lost node"
}

const startingReasons: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"])

/** The state of a Pod of a lost node is unknown. */
export const podMarkOf = (pod: Pod, isLost = false): { readonly mark: PodMark; readonly why?: string } => {
  const { metadata, spec, status } = pod
  if (isLost) return { mark: "lost", why: spec.nodeName ?? "" }
  if (metadata.deletionTimestamp !== undefined) return { mark: "stopping" }
  if (status.phase === "Failed") return { mark: "trouble", why: status.reason ?? "Failed" }
  if (status.phase === "Succeeded") return { mark: "done" }
  const initReason = (status.initContainerStatuses ?? []).map(troubleOf).find((it) => it !== undefined)
  if (initReason !== undefined) return { mark: "trouble", why: `Init:${initReason}` }
  const reason = (status.containerStatuses ?? []).map(troubleOf).find((it) => it !== undefined)
  if (reason !== undefined) return { mark: "trouble", why: reason }
  if (isPodReady(pod)) return { mark: "ready" }
  return { mark: spec.nodeName === undefined || spec.nodeName === "" ? "waiting" : "starting" }
}

/** The word that `kubectl get pods` shows for a container that fails or restarts. */
const troubleOf = ({ state, restartCount, ready }: ContainerStatus): string | undefined => {
  const waitingReason = state?.waiting?.reason
  if (waitingReason !== undefined && !startingReasons.has(waitingReason)) return waitingReason
  const { exitCode = 0, reason = "Error" } = state?.terminated ?? {}
  if (exitCode !== 0) return reason
  return !ready && restartCount > 0 ? `restarted ${restartCount}×` : undefined
}
