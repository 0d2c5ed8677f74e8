import { hasBegun, isDone } from "./containers.ts"
import type { PodEnding } from "./commands.ts"
import type { ContainerFacts } from "./containers.ts"
import type { Pod } from "./objects.ts"

/**
 * The phase of a Pod, from what its containers do.
 *
 * Source: pkg/kubelet/kubelet_pods.go (getPhase), pkg/kubelet/status/status_manager.go (TerminatePod).
 */
export const phaseOf = (
  { spec, status }: Pod,
  containers: ReadonlyArray<ContainerFacts>,
  ending: PodEnding | undefined
): string => {
  // What is over is over: no kubelet says otherwise afterwards.
  if (status.phase === "Failed" || status.phase === "Succeeded") return status.phase
  const policy = spec.restartPolicy ?? "Always"
  const isStopped = containers.every(({ doing }) => doing !== "running")
  if (ending !== undefined && ending !== "deleted" && isStopped) return "Failed"
  const apps = containers.filter(({ role }) => role === "app")
  if (ending === "deleted" && isStopped) return outcome(apps, "terminated")
  if (isStopped && hasInitFailed(containers, policy)) return "Failed"
  if (isStopped && apps.every((facts) => isDone(facts, policy))) return outcome(apps)
  return apps.every(hasBegun) || status.phase === "Running" ? "Running" : "Pending"
}

/** Everything went well only if every container ended, and ended well. */
const outcome = (apps: ReadonlyArray<ContainerFacts>, doing?: "terminated"): string =>
  apps.every((it) => it.lastExit?.code === 0 && (doing === undefined || it.doing === doing))
    ? "Succeeded"
    : "Failed"

/** Whether an init container has ended badly that is not started again: the Pod has failed. */
export const hasInitFailed = (containers: ReadonlyArray<ContainerFacts>, policy: string): boolean =>
  policy === "Never" &&
  containers.some(
    ({ role, doing, lastExit }) => role === "init" && doing === "terminated" && lastExit?.code !== 0
  )

/** Whether an init container lets the next one begin: it is done, or is a sidecar that has started. */
export const isThrough = ({ role, doing, started, lastExit }: ContainerFacts): boolean =>
  role === "sidecar" ? started : doing === "terminated" && lastExit?.code === 0

/**
 * Whether the app containers may begin: the last of the others lets them, were a sidecar before it down by then. They
 * all begin at once, so that one of them speaks for the others.
 *
 * Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (computeInitContainerActions).
 */
export const isInitialized = (containers: ReadonlyArray<ContainerFacts>): boolean => {
  if (containers.some((facts) => facts.role === "app" && hasBegun(facts))) return true
  const last = containers.findLast(({ role }) => role !== "app")
  return last === undefined || isThrough(last)
}
