import { hasEverRun, isContainerDone, isQueued, hasNotRunSinceRemoval } from "./containers/containers.ts"
import { isTerminalPhase } from "./podState.ts"
import type { PodEnding } from "./podLife.ts"
import type { ContainerFacts } from "./containers/containers.ts"
import type { Pod, PodSpec } from "../meta/objects.ts"

/**
 * `ending`: why the kubelet stops the containers. Source: kubelet_pods.go (getPhase), status_manager.go
 * (TerminatePod).
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
  // Containers of a deleted Pod that wait for a restart do not count as successes.
  if (ending === "deleted" && noneRuns)
    return apps.every(({ doing }) => doing === "terminated") ? terminalPhase(apps) : "Failed"
  if (noneRuns && hasInitFailed(containers, spec)) return "Failed"
  if (noneRuns && apps.every((facts) => isContainerDone(facts, spec))) return terminalPhase(apps)
  return apps.every(hasEverRun) || status.phase === "Running" ? "Running" : "Pending"
}

const terminalPhase = (apps: ReadonlyArray<ContainerFacts>): "Succeeded" | "Failed" =>
  apps.every(({ lastExit }) => lastExit?.code === 0) ? "Succeeded" : "Failed"

export const hasInitFailed = (containers: ReadonlyArray<ContainerFacts>, spec: PodSpec): boolean =>
  containers.some(
    (facts) => facts.role === "init" && facts.lastExit?.code !== 0 && isContainerDone(facts, spec)
  )

export const allowsNextContainer = ({ role, doing, started, lastExit }: ContainerFacts): boolean =>
  role === "sidecar" ? started : doing === "terminated" && lastExit?.code === 0

/** The container that the kubelet starts next. Source: kuberuntime_manager.go (computePodActions, SyncPod). */
export const nextContainer = (containers: ReadonlyArray<ContainerFacts>): ContainerFacts | undefined => {
  const index = containers.findIndex(isQueued)
  const before = containers[index - 1]
  return before === undefined || isPodInitialized(containers) || allowsNextContainer(before)
    ? containers[index]
    : undefined
}

/** Source: kuberuntime_container.go (computeInitContainerActions). */
export const isPodInitialized = (containers: ReadonlyArray<ContainerFacts>): boolean => {
  if (containers.some((facts) => facts.role === "app" && hasEverRun(facts) && !hasNotRunSinceRemoval(facts)))
    return true
  const last = containers.findLast(({ role }) => role !== "app")
  return last === undefined || allowsNextContainer(last)
}
