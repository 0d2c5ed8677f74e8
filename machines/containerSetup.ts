import { assign, enqueueActions, sendParent, setup } from "xstate"
import {
  backOffMillis,
  crashBackOffMillis,
  crashCountAfterRun
} from "../src/kubernetes/pods/containers/backOff.ts"
import {
  injectedCrash,
  millisUntilProbePasses,
  readyAfterMillis,
  flapReadyMillis,
  startedAfterMillis,
  readinessFailsMillis,
  readinessTiming,
  flapUnreadyMillis
} from "../src/kubernetes/pods/containers/containerRuns.ts"
import { hasEverRun } from "../src/kubernetes/pods/containers/containers.ts"
import { containerGuards, endOfRun } from "./guards/containerGuards.ts"
import type { ContainerChanged, ContainerContext, ContainerEvent } from "./guards/containerGuards.ts"
import type {
  ContainerEnd,
  ContainerFacts,
  ContainerEventName,
  ContainerPlan
} from "../src/kubernetes/pods/containers/containers.ts"

/** The kubelet shows ErrImagePull for this long before ImagePullBackOff. */
const pullErrorShownMillis = 1000

const remainingMillis = (context: ContainerContext, totalMillis: number): number =>
  Math.max(0, totalMillis - context.elapsedMillis)

/** Two actions, named after `happening`: one changes the container's facts, one tells its Pod. */
export const updateFacts = (
  happening: ContainerEventName,
  change: (context: ContainerContext) => Partial<ContainerFacts>
) =>
  [
    withName(
      `note${capitalize(happening)}`,
      assign<ContainerContext, ContainerEvent, undefined, ContainerEvent, never>(({ context }) => ({
        facts: { ...context.facts, ...change(context) }
      }))
    ),
    notifyPod(happening)
  ] as const

const withName = <Action extends object>(name: string, action: Action): Action =>
  Object.defineProperty(action, "name", { value: name })

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const contextAfterRun = (
  { facts }: ContainerContext,
  { code, reason }: ContainerEnd,
  ranMillis: number
): Partial<ContainerContext> => ({
  facts: { ...facts, crashes: crashCountAfterRun(facts.crashes, ranMillis), lastExit: { code, reason } },
  probeEnd: undefined
})

const endOfStop = ({ stop, plan }: ContainerContext): ContainerEnd => {
  const code = stop?.isKilled === true ? 137 : (plan.life.terminateCode ?? 0)
  return { code, reason: code === 0 ? "Completed" : "Error" }
}

export const notifyPod = (happening: ContainerEventName) =>
  withName(
    `tell${capitalize(happening)}`,
    sendParent<ContainerContext, ContainerEvent, undefined, ContainerChanged, ContainerEvent>(
      ({ context }) => ({
        type: "container.changed",
        happening,
        facts: context.facts
      })
    )
  )

export const updateCreating = (happening: "pulled" | "imageFound") =>
  updateFacts(happening, () => ({ doing: "creating", pullError: undefined }))

/** A container that has never run goes on waiting; whether it counts as failed is decided at its Pod's end. */
export const updateStopped = updateFacts("stopped", ({ facts }) => ({
  doing: hasEverRun(facts) ? "terminated" : "queued",
  ready: false,
  started: false,
  pullError: undefined
}))

/** As for the kubelet, a running init container is not ready, and an ephemeral one never is. */
export const updateReady = updateFacts("ready", ({ plan: { role } }) => ({
  ready: role !== "init" && role !== "ephemeral"
}))

export const containerSetup = setup({
  types: {} as {
    context: ContainerContext
    events: ContainerEvent
    input: { readonly plan: ContainerPlan; readonly facts: ContainerFacts; readonly elapsedMillis: number }
  },
  guards: containerGuards,
  actions: {
    forgetElapsed: assign({ elapsedMillis: 0 }),
    tellPulling: notifyPod("pulling"),
    countFailedPull: assign({ failedPulls: ({ context }) => context.failedPulls + 1 }),
    countFlap: assign({ flaps: ({ context }) => context.flaps + 1 }),
    countRun: assign({
      facts: ({ context }) => ({ ...context.facts, restartCount: context.facts.restartCount + 1 }),
      flaps: 0
    }),
    noteEnd: assign(({ context }) => {
      // A fault may have changed the container's life since its probe failed.
      const end = context.probeEnd ?? endOfRun(context)
      return end === undefined ? {} : contextAfterRun(context, end, end.afterMillis + end.stopMillis)
    }),
    noteCrash: assign(({ context }) => {
      const crash = injectedCrash(context.plan, context.facts.restartCount)
      return crash === undefined ? {} : contextAfterRun(context, crash, crash.ranMillis)
    }),
    recordProbeEnd: enqueueActions(({ context, enqueue }) => {
      const probeEnd = endOfRun(context)
      if (probeEnd === undefined) return
      enqueue.assign({ probeEnd })
      enqueue(notifyPod(probeEnd.because))
    }),
    noteLife: assign(({ event }) => (event.type === "life.changed" ? { plan: event.plan } : {})),
    countTimersFromStart: assign(({ event }) =>
      event.type === "life.changed" ? { elapsedMillis: event.elapsedMillis } : {}
    ),
    noteStopRequest: assign(({ event }) =>
      event.type === "stop" ? { stop: { withinMillis: event.withinMillis, isKilled: event.isKilled } } : {}
    ),
    // Without `crashCountAfterRun`: a stopped container is not restarted, so no back-off follows.
    noteStop: assign(({ context }) => ({
      facts: {
        ...context.facts,
        crashes: context.facts.crashes + 1,
        lastExit: endOfStop(context)
      }
    }))
  },
  delays: {
    pull: ({ context }) => remainingMillis(context, context.plan.life.pullMillis),
    pullErrorShown: pullErrorShownMillis,
    pullBackOff: ({ context }) =>
      remainingMillis(context, backOffMillis(context.failedPulls) - pullErrorShownMillis),
    start: ({ context }) => remainingMillis(context, context.plan.life.startMillis),
    // `elapsedMillis` of a restored container counts from its last end, so it includes `startMillis`.
    crashBackOff: ({ context: { facts, plan, elapsedMillis } }) => {
      const wait = crashBackOffMillis(facts.crashes)
      return elapsedMillis === 0 ? wait : Math.max(0, wait + plan.life.startMillis - elapsedMillis)
    },
    untilStarted: ({ context: { plan, elapsedMillis } }) =>
      millisUntilProbePasses(plan.startup, startedAfterMillis(plan), elapsedMillis),
    // A restored container counts from the start of its run, any other from the end of its startup probe.
    untilReady: ({ context: { plan, elapsedMillis } }) =>
      millisUntilProbePasses(
        readinessTiming(plan),
        readyAfterMillis(plan) - (elapsedMillis === 0 ? startedAfterMillis(plan) : 0),
        elapsedMillis
      ),
    untilProbesFail: ({ context }) =>
      remainingMillis(context, readinessFailsMillis(context.plan, context.facts.restartCount)),
    untilUnready: ({ context }) => flapReadyMillis(context.plan),
    untilReadyAgain: ({ context }) => flapUnreadyMillis(context.plan),
    untilEnd: ({ context }) => remainingMillis(context, endOfRun(context)?.afterMillis ?? 0),
    untilKilled: ({ context }) => endOfRun(context)?.stopMillis ?? 0,
    untilStopped: ({ event }) => (event.type === "stop" ? event.withinMillis : 0)
  }
})
