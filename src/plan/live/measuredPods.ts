import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { isSidecar } from "../../kubernetes/pods/containers/containerRoles.ts"
import { killingProbe } from "../../kubernetes/pods/containers/probes.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { postStartMillis } from "../../kubernetes/pods/containers/containers.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { isPodReady, restartCountOf } from "../../kubernetes/pods/podState.ts"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Behaviour, Delay } from "../../behaviours/behaviour.ts"
import type { LiveWorkload } from "./liveObjects.ts"
import type { Pod, PodSpec } from "../../kubernetes/meta/objects.ts"

/** The times come from timestamps of live Pods, with a resolution of a second. */
export interface MeasuredBehaviour {
  readonly behaviour: Behaviour
  readonly text: string
}

export const measureBehaviour = (
  workload: LiveWorkload,
  pods: ReadonlyArray<Pod>
): MeasuredBehaviour | undefined => {
  const times = timesOfReadyPods(workload, pods)
  if (times.length === 0) return undefined
  const { name, namespace = "default" } = workload.metadata
  const span = (timeOf: (pod: PodTimes) => number): Span => spanOf(times.map(timeOf))
  const [schedule, start, ready] = [
    span((pod) => pod.scheduleMillis),
    span((pod) => pod.startMillis),
    span((pod) => pod.readyMillis)
  ]
  const total = span((pod) => pod.scheduleMillis + pod.startMillis + pod.readyMillis)
  return {
    behaviour: {
      name: `measured-${workload.kind.toLowerCase()}-${namespace}-${name}`,
      match: { labels: workload.spec.template.metadata?.labels ?? {} },
      schedule: delayOf(schedule),
      // `start` includes the pull.
      pull: { delay: "0s" },
      start: delayOf(withoutHooks(start, workload.spec.template.spec)),
      ready: delayOf(ready),
      containers: {
        ...containerBehaviours(times, workload.spec.template.spec?.containers),
        ...initContainerBehaviours(workload.spec.template.spec?.initContainers)
      }
    },
    text:
      `${countText(times.length, "live Pod")} of ${namespace}/${name} took ` +
      `${spanText(total)} from creation until ready (${spanText(schedule)} to be scheduled, ${spanText(start)} to start, ` +
      `${spanText(ready)} to be ready)`
  }
}

/** A plan plays the hooks of all containers but the last in addition to `start`. */
const withoutHooks = (
  { leastMillis, mostMillis }: Span,
  { initContainers = [], containers = [] }: Partial<PodSpec> = {}
): Span => {
  let hooksMillis = 0
  for (const container of [...initContainers, ...containers].slice(0, -1))
    hooksMillis += postStartMillis(container)
  return {
    leastMillis: Math.max(0, leastMillis - hooksMillis),
    mostMillis: Math.max(0, mostMillis - hooksMillis)
  }
}

/** Milliseconds from running until ready. */
export const slowestReadyMillis = (workload: LiveWorkload, pods: ReadonlyArray<Pod>): number | undefined => {
  const times = timesOfReadyPods(workload, pods)
  return times.length === 0 ? undefined : spanOf(times.map(({ readyMillis }) => readyMillis)).mostMillis
}

const timesOfReadyPods = (workload: LiveWorkload, pods: ReadonlyArray<Pod>): ReadonlyArray<PodTimes> =>
  pods.filter((pod) => isReadyWithoutRestart(pod, workload)).flatMap((pod) => timesOf(pod) ?? [])

/** A Pod with a restart is left out, since its times include the wait of a back-off. */
const isReadyWithoutRestart = (pod: Pod, { metadata, spec }: LiveWorkload): boolean =>
  pod.metadata.namespace === metadata.namespace &&
  matchesSelector(spec.selector, pod.metadata.labels) &&
  isPodReady(pod) &&
  restartCountOf(pod) === 0

interface PodTimes {
  readonly scheduleMillis: number
  readonly startMillis: number
  readonly readyMillis: number
  /** By container: the time after its start by which it must have answered. */
  readonly answerMillisByName: ReadonlyMap<string, number>
}

export interface Span {
  readonly leastMillis: number
  readonly mostMillis: number
}

/** A Pod that takes longer for a phase was unready in between, or waited for room. */
export const phaseMaxMillis = 1_800_000

const timesOf = ({ metadata, spec, status }: Pod): PodTimes | undefined => {
  const createdMillis = timestampMillis(metadata.creationTimestamp ?? "")
  const scheduledMillis = timestampMillis(
    conditionOf(status.conditions, "PodScheduled")?.lastTransitionTime ?? ""
  )
  const readyAtMillis = timestampMillis(conditionOf(status.conditions, "Ready")?.lastTransitionTime ?? "")
  const startedMillis = Math.max(
    ...(status.containerStatuses ?? []).map(({ state }) => timestampMillis(state?.running?.startedAt ?? ""))
  )
  const times = {
    scheduleMillis: scheduledMillis - createdMillis,
    startMillis: startedMillis - scheduledMillis,
    readyMillis: readyAtMillis - startedMillis
  }
  const areTimesKnown = Object.values(times).every((millis) => millis >= 0 && millis <= phaseMaxMillis)
  return areTimesKnown
    ? {
        ...times,
        answerMillisByName: new Map(
          spec.containers.flatMap((container) => {
            const millis = answerBeforeKillMillis(times.readyMillis, container)
            return millis === undefined ? [] : [[container.name, millis] as const]
          })
        )
      }
    : undefined
}

/**
 * A container without restarts answered before its probe would have killed it. Undefined if its Pod was ready
 * earlier.
 */
export const answerBeforeKillMillis = (
  readyMillis: number,
  container: Core.Container
): number | undefined => {
  const { earliestKillMillis = Infinity } = killingProbe(container) ?? {}
  return earliestKillMillis < readyMillis ? earliestKillMillis : undefined
}

/** The first container gets the measured `start`, which lasts until the last container runs. */
const containerBehaviours = (
  times: ReadonlyArray<PodTimes>,
  [, ...laterContainers]: ReadonlyArray<Core.Container> = []
): NonNullable<Behaviour["containers"]> => {
  const laterNames = new Set(laterContainers.map(({ name }) => name))
  const answeringNames = new Set(times.flatMap(({ answerMillisByName }) => [...answerMillisByName.keys()]))
  return Object.fromEntries(
    [...new Set([...laterNames, ...answeringNames])].map((name) => {
      const answerTimes = times.map(
        ({ answerMillisByName, readyMillis }) => answerMillisByName.get(name) ?? readyMillis
      )
      const start = laterNames.has(name) ? { start: "0s" } : {}
      return [name, answeringNames.has(name) ? { ...start, ready: delayOf(spanOf(answerTimes)) } : start]
    })
  )
}

/**
 * The measured `start` and `ready` include init containers, so theirs are 0; only a sidecar's readiness probe may
 * have delayed the Pod.
 */
const initContainerBehaviours = (
  initContainers: ReadonlyArray<Core.Container> = []
): NonNullable<Behaviour["containers"]> =>
  Object.fromEntries(
    initContainers.map((container) => {
      const delaysReadiness =
        isSidecar(container) &&
        container.readinessProbe !== undefined &&
        killingProbe(container) === undefined
      return [container.name, { start: "0s", ...(delaysReadiness ? {} : { ready: "0s" }) }]
    })
  )

export const spanOf = (times: ReadonlyArray<number>): Span => ({
  leastMillis: Math.min(...times),
  mostMillis: Math.max(...times)
})

const delayOf = ({ leastMillis, mostMillis }: Span): Delay =>
  leastMillis === mostMillis ? `${leastMillis}ms` : { uniform: [`${leastMillis}ms`, `${mostMillis}ms`] }

export const spanText = ({ leastMillis, mostMillis }: Span): string =>
  leastMillis === mostMillis
    ? formatDuration(leastMillis)
    : `${formatDuration(leastMillis)}..${formatDuration(mostMillis)}`
