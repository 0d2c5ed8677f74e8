import { assign, setup } from "xstate"
import { decideScale, statusAfterLook } from "../src/kubernetes/autoscaling/autoscalerDecision.ts"
import { syncPeriodMillis } from "../src/kubernetes/autoscaling/autoscalerObservation.ts"
import { noScalingHistory, withScaleEvent } from "../src/kubernetes/autoscaling/scalingRates.ts"
import { autoscalerGuards } from "./guards/autoscalerGuards.ts"
import { emitEach } from "./emitEach.ts"
import { rescaleRefusedReport, rescaledReport } from "../src/kubernetes/autoscaling/rescaleReports.ts"
import type { RecordEvent } from "../src/kubernetes/apps/sharedCommands.ts"
import type { AutoscalerCommand } from "../src/kubernetes/autoscaling/autoscalerCommands.ts"
import type { AutoscalerContext, AutoscalerEvent } from "./guards/autoscalerGuards.ts"
import type { AutoscalerDecision } from "../src/kubernetes/autoscaling/autoscalerDecision.ts"
import type { AutoscalerObservation } from "../src/kubernetes/autoscaling/autoscalerObservation.ts"

type Emitted = AutoscalerCommand | RecordEvent

interface ObservedDecision {
  readonly seen: AutoscalerObservation
  readonly decision: AutoscalerDecision
  readonly event: AutoscalerEvent
}

const emitForDecision = (commands: (decided: ObservedDecision) => ReadonlyArray<Emitted>) =>
  emitEach<AutoscalerContext, AutoscalerEvent, Emitted>(({ context: { seen, decision }, event }) =>
    seen === undefined || decision === undefined ? [] : commands({ seen, decision, event })
  )

const autoscalerSetup = setup({
  types: {} as { context: AutoscalerContext; events: AutoscalerEvent; emitted: Emitted },
  guards: autoscalerGuards,
  actions: {
    remember: assign(({ event }) => (event.type === "observed" ? { seen: event.seen } : {})),
    measure: assign(({ context, event }) => {
      if (event.type !== "observed") return {}
      const { decision, history } = decideScale(event.seen, context.history)
      return { seen: event.seen, decision, history }
    }),
    lookAgain: emitEach<AutoscalerContext, AutoscalerEvent, Emitted>(() => [{ type: "lookAgain" }]),
    report: emitForDecision(({ seen, decision }) => [
      ...decision.events,
      { type: "reportAutoscaler", status: statusAfterLook(seen, decision) }
    ]),
    scale: emitForDecision(({ decision: { current, desired, events } }) => [
      ...events,
      { type: "scaleTarget", from: current, to: desired }
    ]),
    noteScale: assign(({ context: { seen, decision, history } }) =>
      seen === undefined || decision === undefined
        ? {}
        : {
            history: withScaleEvent(
              { spec: seen.autoscaler.spec, history, nowMillis: seen.nowMillis },
              { from: decision.current, to: decision.desired }
            )
          }
    ),
    reportScaled: emitForDecision(({ seen, decision }) => {
      const { condition, event } = rescaledReport(decision)
      const status = statusAfterLook(seen, decision, { conditionUpdates: [condition], scaled: true })
      return [event, { type: "reportAutoscaler", status }]
    }),
    reportRefused: emitForDecision(({ seen, decision, event: received }) => {
      const problem = received.type === "refused" ? received.refusal.message : ""
      const { condition, event } = rescaleRefusedReport(decision, problem)
      return [
        event,
        {
          type: "reportAutoscaler",
          status: statusAfterLook(seen, decision, { conditionUpdates: [condition] })
        }
      ]
    })
  },
  delays: { syncPeriod: syncPeriodMillis }
})

/**
 * Looks every 15 seconds, and changes the size of its target by what is measured of its Pods.
 * Source: pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler), rate_limiters.go.
 */
export const horizontalPodAutoscalerMachine = autoscalerSetup.createMachine({
  id: "horizontalPodAutoscaler",
  context: { seen: undefined, decision: undefined, history: noScalingHistory },
  initial: "unseen",
  states: {
    unseen: {
      description: "No observation has arrived yet.",
      on: { observed: { target: "waiting", actions: "remember" } }
    },
    waiting: {
      description: "The next look comes 15 seconds after the last; no change makes it come earlier.",
      initial: "new",
      after: { syncPeriod: "due" },
      on: { observed: { actions: "remember" } },
      states: {
        new: { description: "Has not looked yet, or not since the controller started." },
        steady: { description: "The target has the size that its metrics ask for.", entry: "report" },
        held: {
          description:
            "A scale-down waits until every higher recommendation is older than its window (300 seconds); a scale-up waits for lower ones.",
          entry: "report"
        },
        limited: {
          description: "minReplicas, maxReplicas or a policy of spec.behavior stands in the way.",
          entry: "report"
        },
        scaled: {
          description: "The target has got another size.",
          entry: ["noteScale", "reportScaled"]
        },
        refused: { description: "The API server refused the new size.", entry: "reportRefused" },
        disabled: {
          description: "The target has 0 replicas: it is left alone until it has one.",
          entry: "report"
        },
        unmeasured: {
          description: "Metrics are missing, and no other metric asks for more: the size stays.",
          entry: "report"
        },
        noTarget: { description: "The scale of the target cannot be read.", entry: "report" }
      }
    },
    due: {
      description: "Reads the target's scale, its Pods and their metrics.",
      entry: "lookAgain",
      on: { observed: { target: "deciding", actions: "measure" } }
    },
    deciding: {
      description: "What size do the metrics ask for, and what of it do window and limits allow?",
      always: [
        { guard: "hasNoTarget", target: "waiting.noTarget" },
        { guard: "isDisabled", target: "waiting.disabled" },
        { guard: "isUnmeasured", target: "waiting.unmeasured" },
        { guard: "isResizing", target: "scaling" },
        { guard: "isStabilized", target: "waiting.held" },
        { guard: "isLimited", target: "waiting.limited" },
        { target: "waiting.steady" }
      ]
    },
    scaling: {
      description: "Writes the new size to the target's scale.",
      entry: "scale",
      on: {
        performed: "waiting.scaled",
        refused: "waiting.refused",
        observed: { actions: "remember" }
      }
    }
  }
})
