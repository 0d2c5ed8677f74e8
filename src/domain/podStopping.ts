import { containerOf, containerPlan } from "./containers.ts"
import { stopOf } from "./containerRuns.ts"
import type { ContainerFacts } from "./containers.ts"
import type { ContainerStop } from "./containerRuns.ts"
import type { Pod } from "./objects.ts"
import type { PodLife } from "./podLife.ts"

/**
 * When each running container of a Pod stops that is told to go. All are told at once and share one grace; a sidecar
 * waits until the containers after it have stopped, as long as the grace lasts.
 *
 * Source: pkg/kubelet/kuberuntime/kuberuntime_termination_order.go.
 */
export const planStops = (options: {
  readonly pod: Pod
  readonly life: PodLife
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly graceMillis: number
}): ReadonlyMap<string, ContainerStop> => {
  const { pod, life, containers, graceMillis } = options
  const stops = new Map<string, ContainerStop>()
  let waitMillis = 0
  for (const facts of containers.toReversed()) {
    const container = facts.doing === "running" ? containerOf(pod.spec, facts) : undefined
    if (container === undefined) continue
    const plan = containerPlan(container, { role: facts.role, spec: pod.spec, life })
    const stop = stopOf({ ...plan, graceMillis }, facts.role === "sidecar" ? waitMillis : 0)
    stops.set(facts.name, stop)
    waitMillis = Math.max(waitMillis, stop.withinMillis)
  }
  return stops
}

/** What a Pod is given that has been told to go, and what one that goes by itself is. */
export const deletionGraceMillis = ({ metadata, spec }: Pod): number =>
  (metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000
export const ownGraceMillis = ({ spec }: Pod): number => (spec.terminationGracePeriodSeconds ?? 30) * 1000
