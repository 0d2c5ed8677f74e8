import { conditionOf } from "../../domain/conditions.ts"
import { roleOfInit } from "../../domain/containers.ts"
import { endingProbe } from "../../domain/probes.ts"
import { counted } from "../../domain/counted.ts"
import { formatDuration } from "../../domain/durations.ts"
import { millisOf } from "../../domain/timestamps.ts"
import { isReady, restartsOf } from "../../domain/pods.ts"
import { matchesSelector } from "../../domain/selectors.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Behaviour, Delay } from "../../behaviours/behaviour.ts"
import type { Deployment, Pod } from "../../domain/objects.ts"

/** How the Pods of a Deployment have lived, as its live ones tell: to the second, as Kubernetes writes times. */
export interface Measured {
  readonly behaviour: Behaviour
  /** In a sentence. */
  readonly text: string
}

/**
 * From creation to being scheduled, from there to its last container's start, and from there until it was ready, which
 * is when its readiness probes had noticed: a container that its other probes have left alone had answered before.
 * Undefined where no Pod tells.
 */
export const measured = (deployment: Deployment, pods: ReadonlyArray<Pod>): Measured | undefined => {
  const times = allTimes(deployment, pods)
  if (times.length === 0) return undefined
  const { name, namespace = "default" } = deployment.metadata
  const span = (of: (it: PodTimes) => number): Span => spanOf(times.map(of))
  const [schedule, start, ready] = [span((it) => it.schedule), span((it) => it.start), span((it) => it.ready)]
  const total = span((it) => it.schedule + it.start + it.ready)
  return {
    behaviour: {
      name: `measured-${namespace}-${name}`,
      match: { labels: deployment.spec.template.metadata?.labels ?? {} },
      schedule: delayOf(schedule),
      pull: { delay: "0s" },
      start: delayOf(start),
      ready: delayOf(ready),
      containers: { ...answersOf(times), ...beforehand(deployment.spec.template.spec?.initContainers) }
    },
    text:
      `${counted(times.length, "live Pod")} of ${namespace}/${name} took ` +
      `${textOf(total)} from creation until ready (${textOf(schedule)} to be scheduled, ${textOf(start)} to start, ` +
      `${textOf(ready)} to be ready)`
  }
}

/** The longest that a live Pod of a Deployment took from running until it was ready; undefined where none tells. */
export const slowestReady = (deployment: Deployment, pods: ReadonlyArray<Pod>): number | undefined => {
  const times = allTimes(deployment, pods)
  return times.length === 0 ? undefined : spanOf(times.map(({ ready }) => ready)).most
}

const allTimes = (deployment: Deployment, pods: ReadonlyArray<Pod>): ReadonlyArray<PodTimes> =>
  pods.filter((pod) => isSteady(pod, deployment)).flatMap((pod) => timesOf(pod) ?? [])

/**
 * Whether a Pod of a Deployment is ready and has been since it first was, as far as can be told. What had to be started
 * again, be it for init, was waited for by a kubelet that backs off.
 */
const isSteady = (pod: Pod, { metadata, spec }: Deployment): boolean =>
  pod.metadata.namespace === metadata.namespace &&
  matchesSelector(spec.selector, pod.metadata.labels) &&
  isReady(pod) &&
  restartsOf(pod) === 0

interface PodTimes {
  readonly schedule: number
  readonly start: number
  readonly ready: number
  /** By container: by when it had answered, where that is known to be sooner. */
  readonly answers: ReadonlyMap<string, number>
}

interface Span {
  readonly least: number
  readonly most: number
}

/** What took longer has been unready in between. */
const readyMostMillis = 1_800_000

const timesOf = ({ metadata, spec, status }: Pod): PodTimes | undefined => {
  const made = millisOf(metadata.creationTimestamp ?? "")
  const bound = millisOf(conditionOf(status.conditions, "PodScheduled")?.lastTransitionTime ?? "")
  const ready = millisOf(conditionOf(status.conditions, "Ready")?.lastTransitionTime ?? "")
  const started = Math.max(
    ...(status.containerStatuses ?? []).map(({ state }) => millisOf(state?.running?.startedAt ?? ""))
  )
  const times = { schedule: bound - made, start: started - bound, ready: ready - started }
  const isTold = Object.values(times).every((millis) => millis >= 0 && millis <= readyMostMillis)
  return isTold
    ? { ...times, answers: new Map(spec.containers.flatMap((it) => soonerThan(times.ready, it))) }
    : undefined
}

/** None of its containers has been started again: none was ended by a probe. */
const soonerThan = (
  readyMillis: number,
  container: Core.Container
): ReadonlyArray<readonly [name: string, millis: number]> => {
  const { endsMillis = Infinity } = endingProbe(container) ?? {}
  return endsMillis < readyMillis ? [[container.name, endsMillis]] : []
}

/** How long containers take that answer before their Pods are ready. */
const answersOf = (times: ReadonlyArray<PodTimes>): NonNullable<Behaviour["containers"]> => {
  const names = new Set(times.flatMap(({ answers }) => [...answers.keys()]))
  return Object.fromEntries(
    [...names].map((name) => {
      const all = times.map(({ answers, ready }) => answers.get(name) ?? ready)
      return [name, { ready: delayOf(spanOf(all)) }]
    })
  )
}

/**
 * What runs before the containers that were waited for, or beside them: it is over, or its startup probe has been
 * answered, by the time that the last of them starts, and so is in what that took already. Only a sidecar that nothing
 * but a readiness probe asks may be what its Pod was not ready for.
 */
const beforehand = (
  initContainers: ReadonlyArray<Core.Container> = []
): NonNullable<Behaviour["containers"]> =>
  Object.fromEntries(
    initContainers.map((container) => {
      const isAwaited =
        roleOfInit(container) === "sidecar" &&
        container.readinessProbe !== undefined &&
        endingProbe(container) === undefined
      return [container.name, { start: "0s", ...(isAwaited ? {} : { ready: "0s" }) }]
    })
  )

const spanOf = (all: ReadonlyArray<number>): Span => ({ least: Math.min(...all), most: Math.max(...all) })

const delayOf = ({ least, most }: Span): Delay =>
  least === most ? `${least}ms` : { uniform: [`${least}ms`, `${most}ms`] }

const textOf = ({ least, most }: Span): string =>
  least === most ? formatDuration(least) : `${formatDuration(least)}..${formatDuration(most)}`
