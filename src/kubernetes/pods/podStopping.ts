import { sigtermAfterMillis, containerStop } from "./containers/containerRuns.ts"
import { containerSpecOf, defaultTerminationGraceSeconds, preStopMillis } from "./containers/containers.ts"
import type { ContainerFacts } from "./containers/containers.ts"
import type { ContainerStop } from "./containers/containerRuns.ts"
import type { Pod } from "../meta/objects.ts"
import type { PodLife } from "./podLife.ts"

interface StopOptions {
  readonly pod: Pod
  readonly life: Pick<PodLife, "terminateMillis">
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly graceMillis: number
}

/** For a restart of all containers, which ignores the grace period and preStop hooks. */
export const containerStopForRestartAll = ({ terminateMillis }: PodLife): ContainerStop =>
  containerStop({ exitMillis: terminateMillis, preStopHookMillis: 0, graceMillis: 0 })

/** A sidecar waits for the containers after it. Source: kuberuntime_termination_order.go. */
export const planContainerStops = (options: StopOptions): ReadonlyMap<string, ContainerStop> =>
  new Map(containerStopTimes(options).map(({ name, stop }) => [name, stop]))

/** Milliseconds from the beginning of the grace period, by container name. */
export const planSigtermTimes = (options: StopOptions): ReadonlyMap<string, number> =>
  new Map(containerStopTimes(options).map(({ name, sigtermMillis }) => [name, sigtermMillis]))

const containerStopTimes = ({
  pod,
  life,
  containers,
  graceMillis
}: StopOptions): ReadonlyArray<{
  readonly name: string
  readonly sigtermMillis: number
  readonly stop: ContainerStop
}> => {
  let laterStopsMillis = 0
  return containers.toReversed().flatMap((facts) => {
    const { name, doing, role } = facts
    const container = doing === "running" ? containerSpecOf(pod.spec, facts) : undefined
    if (container === undefined) return []
    const timing = {
      exitMillis: life.terminateMillis,
      preStopHookMillis: preStopMillis(container),
      graceMillis
    }
    const waitMillis = role === "sidecar" ? laterStopsMillis : 0
    const stop = containerStop(timing, waitMillis)
    laterStopsMillis = Math.max(laterStopsMillis, stop.withinMillis)
    return { name, sigtermMillis: sigtermAfterMillis(timing, waitMillis), stop }
  })
}

export const deletionGraceMillis = ({ metadata, spec }: Pod): number =>
  (metadata.deletionGracePeriodSeconds ??
    spec.terminationGracePeriodSeconds ??
    defaultTerminationGraceSeconds) * 1000

export const specGraceMillis = ({ spec }: Pod): number =>
  (spec.terminationGracePeriodSeconds ?? defaultTerminationGraceSeconds) * 1000
