import { isPodReady } from "../../kubernetes/pods/podState.ts"
import type { ContainerStatus, Pod } from "../../kubernetes/meta/objects.ts"

/** How a Pod is drawn: each mark has a shape and a colour of its own. */
export type Mark = "waiting" | "starting" | "ready" | "trouble" | "stopping" | "done"

export const markWords: Readonly<Record<Mark, string>> = {
  waiting: "has no node yet",
  starting: "is starting, or not ready",
  ready: "is ready",
  trouble: "is in trouble",
  stopping: "is stopping",
  done: "has ended"
}

const begun: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"])

/** What a Pod is drawn as, and why in a word where there is one. */
export const markOf = (pod: Pod): { readonly mark: Mark; readonly why?: string } => {
  const { metadata, spec, status } = pod
  if (metadata.deletionTimestamp !== undefined) return { mark: "stopping" }
  if (status.phase === "Failed") return { mark: "trouble", why: status.reason ?? "Failed" }
  if (status.phase === "Succeeded") return { mark: "done" }
  const init = (status.initContainerStatuses ?? []).map(troubleOf).find((it) => it !== undefined)
  if (init !== undefined) return { mark: "trouble", why: `Init:${init}` }
  const why = (status.containerStatuses ?? []).map(troubleOf).find((it) => it !== undefined)
  if (why !== undefined) return { mark: "trouble", why }
  if (isPodReady(pod)) return { mark: "ready" }
  return { mark: spec.nodeName === undefined || spec.nodeName === "" ? "waiting" : "starting" }
}

/** What is wrong with a container, in the word that `kubectl get pods` has for it. */
const troubleOf = ({ state, restartCount, ready }: ContainerStatus): string | undefined => {
  const waits = state?.waiting?.reason
  if (waits !== undefined && !begun.has(waits)) return waits
  const { exitCode = 0, reason = "Error" } = state?.terminated ?? {}
  if (exitCode !== 0) return reason
  return !ready && restartCount > 0 ? `restarted ${restartCount}×` : undefined
}
