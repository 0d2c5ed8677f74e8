import { hasEverRun, isContainerDone } from "./containers/containers.ts"
import { isTerminalPhase } from "./podState.ts"
import type { PodEnding } from "./podLife.ts"
import type { ContainerFacts } from "./containers/containers.ts"
import type { Pod, PodSpec } from "../meta/objects.ts"

/**
 * The phase of a Pod, derived from its containers. `ending` is why the kubelet stops them; undefined while it does not.
 * Source: pkg/kubelet/kubelet_pods.go (getPhase), pkg/kubelet/status/status_manager.go (TerminatePod).
 */
export const podPhaseOf = (
  { spec, status }: Pod,
  containers: ReadonlyArray<ContainerFacts>,
  ending: PodEnding | undefined
): string => {
  if (isTerminalPhase(status.phase)) return status.phase
  const noneRuns = containers.every(({ doing }) => doing !== "running")
  if (ending !== undefined && ending !== "deleted" && noneRuns) return "Failed"
  const apps = containers.filter(({ role }) => role === "app")
  if (ending === "deleted" && noneRuns) return terminalPhase(apps, "terminated")
  if (noneRuns && hasInitFailed(containers, spec)) return "Failed"
  if (noneRuns && apps.every((facts) => isContainerDone(facts, spec))) return terminalPhase(apps)
  return apps.every(hasEverRun) || status.phase === "Running" ? "Running" : "Pending"
}

/**
 * `doing`: of a deleted Pod only terminated containers count as successes, not those that wait for a restart after an
 * exit with code 0.
 */
const terminalPhase = (apps: ReadonlyArray<ContainerFacts>, doing?: "terminated"): string =>
  apps.every((it) => it.lastExit?.code === 0 && (doing === undefined || it.doing === doing))
    ? "Succeeded"
    : "Failed"

export const hasInitFailed = (containers: ReadonlyArray<ContainerFacts>, spec: PodSpec): boolean =>
  containers.some(
    (facts) => facts.role === "init" && facts.lastExit?.code !== 0 && isContainerDone(facts, spec)
  )

/** Whether an init container is done, or a sidecar started, so that the next container may begin. */
export const allowsNextContainer = ({ role, doing, started, lastExit }: ContainerFacts): boolean =>
  role === "sidecar" ? started : doing === "terminated" && lastExit?.code === 0

/**
 * Whether the app containers may begin: once one of them has begun, or if the last init container allows it.
 * Source: pkg/kubelet/kuberuntime/kuberuntime_container.go (computeInitContainerActions).
 */
export const isPodInitialized = (containers: ReadonlyArray<ContainerFacts>): boolean => {
  if (containers.some((facts) => facts.role === "app" && hasEverRun(facts))) return true
  const last = containers.findLast(({ role }) => role !== "app")
  return last === undefined || allowsNextContainer(last)
}
