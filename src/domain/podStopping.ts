import { askedAfter, stopOf } from "./containerRuns.ts"
import { containerOf, preStopMillis } from "./containers.ts"
import type { ContainerFacts } from "./containers.ts"
import type { ContainerStop } from "./containerRuns.ts"
import type { Pod } from "./objects.ts"
import type { PodLife } from "./podLife.ts"

interface Stopping {
  readonly pod: Pod
  readonly life: Pick<PodLife, "terminateMillis">
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly graceMillis: number
}

/**
 * When each running container of a Pod stops that is told to go. All are told at once and share one grace; a sidecar
 * waits until the containers after it have stopped, as long as the grace lasts.
 *
 * Source: pkg/kubelet/kuberuntime/kuberuntime_termination_order.go.
 */
export const planStops = (stopping: Stopping): ReadonlyMap<string, ContainerStop> =>
  new Map(stopsOf(stopping).map(({ name, stop }) => [name, stop]))

/** When each of them gets its SIGTERM: its own preStop hook is over by then, or the grace is. */
export const planSignals = (stopping: Stopping): ReadonlyMap<string, number> =>
  new Map(stopsOf(stopping).map(({ name, askedMillis }) => [name, askedMillis]))

const stopsOf = ({
  pod,
  life,
  containers,
  graceMillis
}: Stopping): ReadonlyArray<{
  readonly name: string
  readonly askedMillis: number
  readonly stop: ContainerStop
}> => {
  let othersMillis = 0
  return containers.toReversed().flatMap((facts) => {
    const { name, doing, role } = facts
    const container = doing === "running" ? containerOf(pod.spec, facts) : undefined
    if (container === undefined) return []
    const timing = { answerMillis: life.terminateMillis, hookMillis: preStopMillis(container), graceMillis }
    const waitMillis = role === "sidecar" ? othersMillis : 0
    const stop = stopOf(timing, waitMillis)
    othersMillis = Math.max(othersMillis, stop.withinMillis)
    return { name, askedMillis: askedAfter(timing, waitMillis), stop }
  })
}

/** What a Pod is given that has been told to go, and what one that goes by itself is. */
export const deletionGraceMillis = ({ metadata, spec }: Pod): number =>
  (metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000
export const ownGraceMillis = ({ spec }: Pod): number => (spec.terminationGracePeriodSeconds ?? 30) * 1000
