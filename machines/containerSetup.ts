import { assign, enqueueActions, sendParent, setup } from "xstate"
import { backOffMillis, crashBackOffMillis, crashesAfter } from "../src/domain/backOff.ts"
import {
  crashOf,
  passesIn,
  readyAfter,
  readyFor,
  runEnd,
  silentFrom,
  startedAfter,
  unheardAfter,
  unreadyFor
} from "../src/domain/containerRuns.ts"
import { neverRun } from "../src/domain/containers.ts"
import type { ContainerStop, RunEnd } from "../src/domain/containerRuns.ts"
import type {
  ContainerEnd,
  ContainerFacts,
  ContainerHappening,
  ContainerPlan
} from "../src/domain/containers.ts"

/** What a container tells its Pod: what happened, and how it stands now. */
export interface ContainerChanged {
  readonly type: "container.changed"
  readonly happening: ContainerHappening
  readonly facts: ContainerFacts
}

export interface ContainerContext {
  readonly plan: ContainerPlan
  readonly facts: ContainerFacts
  /** Pulls that failed so far. */
  readonly pulls: number
  /** Times that readiness was lost. */
  readonly flaps: number
  /** How long the state that was resumed had lasted already; 0 after that. */
  readonly elapsedMillis: number
  /** Whether SIGTERM is not enough, once it was asked to stop. */
  readonly isKilled: boolean
  /** The verdict of a probe that it is being killed for. */
  readonly verdict?: RunEnd | undefined
}

type ContainerEvent =
  /** Asks the container to stop; asked once more, it stops as it was asked last. */
  | ({ readonly type: "stop" } & ContainerStop)
  /** Something has befallen it from outside, or no longer does: it lives otherwise from now on. */
  | {
      readonly type: "life.changed"
      readonly plan: ContainerPlan
      /** How long it has been at what it does. */
      readonly elapsedMillis: number
    }

/** Shows a failed pull before the back-off: the kubelet says ErrImagePull first. */
const pullErrorShownMillis = 1000

const left = (context: ContainerContext, millis: number): number =>
  Math.max(0, millis - context.elapsedMillis)
const endOf = ({ plan, facts }: ContainerContext): RunEnd | undefined => runEnd(plan, facts.restartCount)

/** Notes what the container does now and tells its Pod. */
export const becomes = (
  happening: ContainerHappening,
  change: (context: ContainerContext) => Partial<ContainerFacts>
) =>
  [
    named(
      `note${capital(happening)}`,
      assign<ContainerContext, ContainerEvent, undefined, ContainerEvent, never>(({ context }) => ({
        facts: { ...context.facts, ...change(context) }
      }))
    ),
    tellPod(happening)
  ] as const

/** What is written on the spot is drawn under this name. */
const named = <Action extends object>(name: string, action: Action): Action =>
  Object.defineProperty(action, "name", { value: name })

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** A run that is over. */
const ended = (
  { facts }: ContainerContext,
  { code, reason }: ContainerEnd,
  ranMillis: number
): Partial<ContainerContext> => ({
  facts: { ...facts, crashes: crashesAfter(facts.crashes, ranMillis), lastExit: { code, reason } },
  verdict: undefined
})

export const tellPod = (happening: ContainerHappening) =>
  named(
    `tell${capital(happening)}`,
    sendParent<ContainerContext, ContainerEvent, undefined, ContainerChanged, ContainerEvent>(
      ({ context }) => ({
        type: "container.changed",
        happening,
        facts: context.facts
      })
    )
  )

/** One for init never is, until it is done. */
export const becomesReady = becomes("ready", ({ plan }) => ({ ready: plan.role !== "init" }))

/** Facts, guards and timers of a container's chart; the chart itself is drawn in `container.ts`. */
export const containerSetup = setup({
  types: {} as {
    context: ContainerContext
    events: ContainerEvent
    input: { readonly plan: ContainerPlan; readonly facts: ContainerFacts; readonly elapsedMillis: number }
  },
  guards: {
    wasRunning: ({ context }) => context.facts.doing === "running",
    wasTerminated: ({ context }) => context.facts.doing === "terminated",
    wasCrashing: ({ context }) => context.facts.doing === "crashBackOff",
    wasPulling: ({ context }) =>
      context.facts.doing === "pullFailed" || context.facts.doing === "pullBackOff",
    isNotPulled: ({ context }) => context.plan.image !== "registry",
    isImageThere: ({ context }) => context.plan.image === "node",
    wasReady: ({ context }) => context.facts.ready,
    pullFails: ({ context }) => context.pulls < context.plan.life.pullFailures,
    hasStartupProbe: ({ context }) => context.plan.startup !== undefined && !context.facts.started,
    isDoomed: ({ context }) => endOf(context) !== undefined,
    losesReadiness: ({ context }) =>
      context.plan.life.flap !== undefined && context.flaps < context.plan.life.flap.times,
    mayRestart: ({ context }) =>
      context.plan.restartPolicy === "Always" ||
      (context.plan.restartPolicy === "OnFailure" && context.facts.lastExit?.code !== 0),
    isFirstCrash: ({ context }) => context.facts.crashes <= 1,
    isProbeVerdict: ({ context }) => endOf(context)?.because !== "exited",
    hasCrashed: ({ context }) => crashOf(context.plan, context.facts.restartCount) !== undefined,
    isSilent: ({ context }) => silentFrom(context.plan, context.facts.restartCount) !== undefined,
    isReadinessProbed: ({ context }) => context.plan.readiness !== undefined
  },
  actions: {
    forgetElapsed: assign({ elapsedMillis: 0 }),
    tellPulling: tellPod("pulling"),
    countPull: assign({ pulls: ({ context }) => context.pulls + 1 }),
    countFlap: assign({ flaps: ({ context }) => context.flaps + 1 }),
    countRun: assign({
      facts: ({ context }) => ({ ...context.facts, restartCount: context.facts.restartCount + 1 }),
      flaps: 0
    }),
    noteEnd: assign(({ context }) => {
      const end = context.verdict ?? endOf(context)
      return end === undefined ? {} : ended(context, end, end.afterMillis + end.stopMillis)
    }),
    noteCrash: assign(({ context }) => {
      const crash = crashOf(context.plan, context.facts.restartCount)
      return crash === undefined ? {} : ended(context, crash, crash.ranMillis)
    }),
    // Kept for its end: what it is killed for may be over by then.
    tellVerdict: enqueueActions(({ context, enqueue }) => {
      const verdict = endOf(context)
      if (verdict === undefined) return
      enqueue.assign({ verdict })
      enqueue(tellPod(verdict.because))
    }),
    noteLife: assign(({ event }) => (event.type === "life.changed" ? { plan: event.plan } : {})),
    // What it does goes on as it would for an actor made anew: its timers count from when it began.
    noteAge: assign(({ event }) =>
      event.type === "life.changed" ? { elapsedMillis: event.elapsedMillis } : {}
    ),
    noteRequest: assign(({ event }) => (event.type === "stop" ? { isKilled: event.isKilled } : {})),
    noteStop: assign(({ context }) => ({
      facts: {
        ...context.facts,
        crashes: context.facts.crashes + 1,
        lastExit: context.isKilled ? { code: 137, reason: "Error" } : { code: 0, reason: "Completed" }
      }
    })),
    noteNeverRun: assign(({ context }) => ({
      facts: { ...context.facts, lastExit: context.facts.lastExit ?? neverRun }
    }))
  },
  delays: {
    pull: ({ context }) => left(context, context.plan.life.pullMillis),
    pullErrorShown: pullErrorShownMillis,
    pullBackOff: ({ context }) => left(context, backOffMillis(context.pulls) - pullErrorShownMillis),
    start: ({ context }) => left(context, context.plan.life.startMillis),
    // It counts from the end of the run, of which the first moments were shown already.
    crashBackOff: ({ context: { facts, plan, elapsedMillis } }) => {
      const wait = crashBackOffMillis(facts.crashes)
      return elapsedMillis === 0 ? wait : Math.max(0, wait + plan.life.startMillis - elapsedMillis)
    },
    untilStarted: ({ context: { plan, elapsedMillis } }) =>
      passesIn(plan.startup, startedAfter(plan), elapsedMillis),
    // One that goes on where it was counts from the start of its run, another from when its startup probe let it.
    untilReady: ({ context: { plan, elapsedMillis } }) =>
      passesIn(
        plan.readiness,
        readyAfter(plan) - (elapsedMillis === 0 ? startedAfter(plan) : 0),
        elapsedMillis
      ),
    untilUnheard: ({ context }) => left(context, unheardAfter(context.plan, context.facts.restartCount)),
    untilUnready: ({ context }) => readyFor(context.plan),
    untilReadyAgain: ({ context }) => unreadyFor(context.plan),
    untilEnd: ({ context }) => left(context, endOf(context)?.afterMillis ?? 0),
    untilKilled: ({ context }) => endOf(context)?.stopMillis ?? 0,
    untilStopped: ({ event }) => (event.type === "stop" ? event.withinMillis : 0)
  }
})
