import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { explainGuard } from "./guard.ts"
import { stabilizationMillis } from "../../src/kubernetes/autoscaling/scalingRates.ts"
import { syncPeriodMillis } from "../../src/kubernetes/autoscaling/autoscalerObservation.ts"
import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import type { AutoscalerDecision } from "../../src/kubernetes/autoscaling/autoscalerDecision.ts"
import type { AutoscalerObservation } from "../../src/kubernetes/autoscaling/autoscalerObservation.ts"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"
import type { ScalingHistory } from "../../src/kubernetes/autoscaling/scalingRates.ts"

export interface AutoscalerContext {
  readonly seen: AutoscalerObservation | undefined
  /** The decision of the last look. */
  readonly decision: AutoscalerDecision | undefined
  readonly history: ScalingHistory
}

export type AutoscalerEvent =
  | { readonly type: "observed"; readonly seen: AutoscalerObservation }
  /** The new size was written to the target's scale. */
  | { readonly type: "performed" }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

interface ObservedDecision {
  readonly seen: AutoscalerObservation
  readonly decision: AutoscalerDecision
}

const autoscalerGuard = (
  predicate: (decided: ObservedDecision) => boolean,
  words: GuardWording,
  reason: (decided: ObservedDecision) => string
) =>
  explainGuard(
    ({
      context: { seen, decision }
    }: {
      readonly context: AutoscalerContext
      readonly event: AutoscalerEvent
    }) => seen !== undefined && decision !== undefined && predicate({ seen, decision }),
    words,
    ({ context: { seen, decision } }) =>
      seen === undefined || decision === undefined
        ? "nothing has been measured yet"
        : reason({ seen, decision })
  )

const sizeText = ({ current, desired }: AutoscalerDecision): string =>
  `${countText(current, "replica")}, ${desired} desired`

const boundsText = ({ seen, decision }: ObservedDecision): string => {
  const { minReplicas = 1, maxReplicas } = seen.autoscaler.spec
  return `${sizeText(decision)}, between ${minReplicas} and ${maxReplicas}`
}

const proposalText = ({ proposed }: AutoscalerDecision): string =>
  proposed === undefined ? "no metric asks for a size" : `${proposed.metric} asks for ${proposed.replicas}`

export const autoscalerGuards = {
  hasNoTarget: autoscalerGuard(
    ({ decision }) => decision.outcome === "noTarget",
    "the target's scale cannot be read",
    ({ seen: { target } }) => ("problem" in target ? target.problem : "its scale was read")
  ),
  isDisabled: autoscalerGuard(
    ({ decision }) => decision.outcome === "disabled",
    "the target has 0 replicas",
    boundsText
  ),
  isUnmeasured: autoscalerGuard(
    ({ decision }) => decision.outcome === "unmeasured",
    "metrics are missing or ambiguous",
    ({ decision }) => decision.events.at(-1)?.message ?? "all metrics were read"
  ),
  isResizing: autoscalerGuard(
    ({ decision }) => decision.desired !== decision.current,
    "another size is desired",
    boundsText
  ),
  isStabilized: autoscalerGuard(
    ({ decision: { proposed, stabilized } }) =>
      proposed !== undefined && stabilized?.replicas !== proposed.replicas,
    "a recent recommendation holds it",
    ({ seen, decision }) => {
      const { current, proposed } = decision
      const millis = stabilizationMillis({
        spec: seen.autoscaler.spec,
        current,
        proposed: proposed?.replicas ?? current
      })
      return `${proposalText(decision)}, ${decision.stabilized?.replicas ?? current} within ${formatDuration(millis)}`
    }
  ),
  isLimited: autoscalerGuard(
    ({ decision: { stabilized, limited } }) => limited?.replicas !== stabilized?.replicas,
    "the limits are in the way",
    ({ decision }) => `${proposalText(decision)}, the limits allow ${decision.desired}`
  )
}

export const autoscalerStepNumbers: ObservedNumbers = (context) => {
  const { seen, decision } = context as AutoscalerContext
  if (seen === undefined) return []
  const { minReplicas = 1, maxReplicas } = seen.autoscaler.spec
  return [
    ["replicas", "problem" in seen.target ? "unknown" : seen.target.replicas],
    ["bounds", `${minReplicas} to ${maxReplicas}`],
    ["asked", decision?.proposed?.replicas ?? "nothing"],
    ["desired", decision?.desired ?? "unknown"],
    ["every", formatDuration(syncPeriodMillis)]
  ]
}
