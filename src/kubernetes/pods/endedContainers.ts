import { isPodInitialized } from "./podPhase.ts"
import { neverRanEnd } from "./containers/containers.ts"
import { containerFactsOfPod } from "./containers/storedContainers.ts"
import type { ContainerFacts } from "./containers/containers.ts"
import type { Pod } from "../meta/objects.ts"

/**
 * Containers of a Pod that has ended. Those that still waited count as failed if their turn to start had come.
 * Source: status_manager.go (TerminatePod, hasPodInitialized, initializedContainers).
 */
export const endedContainers = (
  pod: Pod,
  containers: ReadonlyArray<ContainerFacts>
): ReadonlyArray<ContainerFacts> => {
  if (containers.every(isTerminated)) return containers
  // The Pod's sidecars have stopped by now: the stored status shows that they had started.
  const isInitialized = isPodInitialized(containers) || isPodInitialized(containerFactsOfPod(pod))
  const inits = containers.filter(({ role }) => role !== "app")
  const lastBegun = inits.findLastIndex((facts) => isTerminated(facts) || facts.lastExit !== undefined)
  return containers.map((facts, index) => {
    const hadItsTurn = facts.role === "app" ? isInitialized : index <= Math.max(0, lastBegun)
    return isTerminated(facts) || !hadItsTurn ? facts : asNeverRun(facts)
  })
}

const isTerminated = ({ doing }: ContainerFacts): boolean => doing === "terminated"

const asNeverRun = (facts: ContainerFacts): ContainerFacts => ({
  ...facts,
  doing: "terminated",
  lastExit: neverRanEnd
})
