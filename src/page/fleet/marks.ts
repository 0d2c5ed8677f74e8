import { isReady } from "../../domain/pods.ts"
import type { Pod } from "../../domain/objects.ts"

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
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]
  for (const { state, restartCount, ready } of containers) {
    const waits = state?.waiting?.reason
    if (waits !== undefined && !begun.has(waits)) return { mark: "trouble", why: waits }
    const { exitCode = 0, reason = "Error" } = state?.terminated ?? {}
    if (exitCode !== 0) return { mark: "trouble", why: reason }
    if (!ready && restartCount > 0) return { mark: "trouble", why: `restarted ${restartCount}×` }
  }
  if (isReady(pod)) return { mark: "ready" }
  return { mark: spec.nodeName === undefined || spec.nodeName === "" ? "waiting" : "starting" }
}
