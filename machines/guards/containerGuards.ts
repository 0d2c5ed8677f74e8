import { crashBackOffMillis } from "../../src/kubernetes/pods/containers/backOff.ts"
import {
  injectedCrash,
  runEnd,
  silencedByFaultMillis,
  startedAfterMillis
} from "../../src/kubernetes/pods/containers/containerRuns.ts"
import { hasNotRunSinceRemoval } from "../../src/kubernetes/pods/containers/containers.ts"
import { mayRestart } from "../../src/kubernetes/pods/containers/restartPolicies.ts"
import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { explainGuard } from "./guard.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"
import type { ContainerStop, RunEnd } from "../../src/kubernetes/pods/containers/containerRuns.ts"
import type {
  ContainerFacts,
  ContainerEventName,
  ContainerPlan
} from "../../src/kubernetes/pods/containers/containers.ts"

export interface ContainerChanged {
  readonly type: "container.changed"
  readonly happening: ContainerEventName
  readonly facts: ContainerFacts
}

export interface ContainerContext {
  /** Computed from the container's spec and the Pod's behaviour. */
  readonly plan: ContainerPlan
  readonly facts: ContainerFacts
  readonly failedPulls: number
  /** How often the current run has lost its readiness by flapping. */
  readonly flaps: number
  /** The age of the state in which the actor was resumed; 0 afterwards. */
  readonly elapsedMillis: number
  readonly stop?: ContainerStop | undefined
  /** How the run ends, kept while the container is being killed: a fault may change `plan` meanwhile. */
  readonly probeEnd?: RunEnd | undefined
}

export type ContainerEvent =
  /** A repeated stop replaces the time left. */
  | ({ readonly type: "stop" } & ContainerStop)
  /** A fault began or ended, so that the rest of the container's life changes. */
  | {
      readonly type: "life.changed"
      readonly plan: ContainerPlan
      /** The age of the container's current activity. */
      readonly elapsedMillis: number
    }

const containerGuard = (
  predicate: (context: ContainerContext) => boolean,
  words: GuardWording,
  reason: (context: ContainerContext) => string
) =>
  explainGuard(
    ({ context }: { readonly context: ContainerContext }) => predicate(context),
    words,
    ({ context }) => reason(context)
  )

export const endOfRun = ({ plan, facts }: ContainerContext): RunEnd | undefined =>
  runEnd(plan, facts.restartCount)

const activityText = ({ facts }: ContainerContext): string => `it was ${facts.doing}`
const imageText = ({ plan }: ContainerContext): string => `its image comes from ${plan.image}`
const timesText = (count: number): string => (count === Infinity ? "every time" : `${count} times`)

const runEndText = (context: ContainerContext): string => {
  const run = context.facts.restartCount + 1
  const end = endOfRun(context)
  if (end === undefined) return `run ${run} lasts`
  const { because, afterMillis, code, reason } = end
  return `run ${run} ends ${formatDuration(afterMillis)} after its start, ${because} (${code}, ${reason})`
}

export const containerGuards = {
  wasRunning: containerGuard(({ facts }) => facts.doing === "running", "it ran before", activityText),
  wasRemoved: containerGuard(({ facts }) => hasNotRunSinceRemoval(facts), "its image is there", activityText),
  wasTerminated: containerGuard(({ facts }) => facts.doing === "terminated", "it had ended", activityText),
  wasCrashing: containerGuard(
    ({ facts }) => facts.doing === "crashBackOff",
    "it waited after a crash",
    activityText
  ),
  hadFailedPull: containerGuard(
    ({ facts }) => facts.doing === "pullFailed" || facts.doing === "pullBackOff",
    "a pull had failed",
    activityText
  ),
  isNotPulled: containerGuard(({ plan }) => plan.image !== "registry", "its image is not pulled", imageText),
  isImageOnNode: containerGuard(({ plan }) => plan.image === "node", "the image is on the node", imageText),
  wasReady: containerGuard(
    ({ facts }) => facts.ready,
    "it was ready",
    ({ facts }) => (facts.ready ? "it was ready" : "it was not ready")
  ),
  pullFails: containerGuard(
    ({ plan, failedPulls }) => failedPulls < plan.life.pullFailures,
    "the pull fails",
    ({ plan, failedPulls }) =>
      `pulls that failed so far ${failedPulls}, it fails ${timesText(plan.life.pullFailures)}`
  ),
  hasStartupProbe: containerGuard(
    ({ plan, facts }) => plan.startup !== undefined && !facts.started,
    "a startup probe has to pass",
    ({ plan, facts }) =>
      plan.startup === undefined
        ? "it has no startup probe"
        : `its startup probe passes ${formatDuration(startedAfterMillis(plan))} after its start, ${facts.started ? "and has" : "and has not yet"}`
  ),
  willEnd: containerGuard((context) => endOfRun(context) !== undefined, "this run is to end", runEndText),
  losesReadiness: containerGuard(
    ({ plan, flaps }) => plan.life.flap !== undefined && flaps < plan.life.flap.times,
    "it is to lose its readiness",
    ({ plan, flaps }) =>
      plan.life.flap === undefined
        ? "its readiness lasts"
        : `readiness lost ${flaps} times, it is lost ${timesText(plan.life.flap.times)}`
  ),
  mayRestart: containerGuard(
    ({ plan, facts }) => mayRestart(plan, facts.lastExit),
    "restartPolicy lets it run again",
    ({ plan: { restartPolicy, restartRules }, facts }) =>
      `restartPolicy ${restartPolicy}${restartRules === undefined ? "" : " with rules"}, ` +
      `last exit ${facts.lastExit?.code ?? "none"}`
  ),
  isFirstCrash: containerGuard(
    ({ facts }) => facts.crashes <= 1,
    "its first crash",
    ({ facts }) => {
      const wait = crashBackOffMillis(facts.crashes)
      return `crashes in a row ${facts.crashes}, back-off ${wait === 0 ? "none" : formatDuration(wait)}`
    }
  ),
  endsByProbe: containerGuard(
    (context) => endOfRun(context)?.because !== "exited",
    "a probe ends it",
    runEndText
  ),
  isStartupProbed: containerGuard(
    ({ stop, probeEnd }) => stop === undefined && probeEnd === undefined,
    "it is not being stopped",
    ({ stop, probeEnd }) => {
      if (probeEnd !== undefined) return `it is killed, ${probeEnd.because}`
      return stop === undefined ? "nothing stops it" : "it is stopping with its Pod"
    }
  ),
  hasCrashed: containerGuard(
    ({ plan, facts }) => injectedCrash(plan, facts.restartCount) !== undefined,
    "it is ended from outside",
    ({ plan, facts }) => {
      const crash = injectedCrash(plan, facts.restartCount)
      return crash === undefined
        ? "nothing has ended this run"
        : `ended from outside: ${crash.reason}, ${crash.code}`
    }
  ),
  isHanging: containerGuard(
    ({ plan, facts }) => silencedByFaultMillis(plan, facts.restartCount) !== undefined,
    "it is to hang",
    ({ plan, facts }) => {
      const silentFromMillis = silencedByFaultMillis(plan, facts.restartCount)
      return silentFromMillis === undefined
        ? "it answers"
        : `it answers nothing from ${formatDuration(silentFromMillis)} after its start`
    }
  ),
  isReadinessProbed: containerGuard(
    ({ plan }) => plan.readiness !== undefined,
    "a readiness probe asks it",
    ({ plan }) => (plan.readiness === undefined ? "it has no readiness probe" : "it has a readiness probe")
  )
}

export const containerStepNumbers: ObservedNumbers = (context) => {
  const { facts, failedPulls } = context as ContainerContext
  return [
    ["doing", facts.doing],
    ["failed pulls", failedPulls],
    ["restarts", facts.restartCount],
    ["crashes in a row", facts.crashes]
  ]
}
