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
  /** Of the last look. */
  readonly decision: AutoscalerDecision | undefined
  readonly history: ScalingHistory
}

export type AutoscalerEvent =
  | { readonly type: "observed"; readonly seen: AutoscalerObservation }
  | { readonly type: "performed" }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

interface Decided {
  readonly seen: AutoscalerObservation
  readonly decision: AutoscalerDecision
}

const autoscalerGuard = (
  predicate: (decided: Decided) => boolean,
  words: GuardWording,
  reason: (decided: Decided) => string
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

const boundsText = ({ seen, decision }: Decided): string => {
  const { minReplicas = 1, maxReplicas } = seen.autoscaler.spec
  return `${sizeText(decision)}, between ${minReplicas} and ${maxReplicas}`
}

const askedText = ({ asked }: AutoscalerDecision): string =>
  asked === undefined ? "no metric asks for a size" : `${asked.metric} asks for ${asked.replicas}`

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
  isHeld: autoscalerGuard(
    ({ decision: { asked, held } }) => asked !== undefined && held?.replicas !== asked.replicas,
    "a recent recommendation holds it",
    ({ seen, decision }) => {
      const { current, asked } = decision
      const millis = stabilizationMillis({
        spec: seen.autoscaler.spec,
        current,
        asked: asked?.replicas ?? current
      })
      return `${askedText(decision)}, ${decision.held?.replicas ?? current} within ${formatDuration(millis)}`
    }
  ),
  isLimited: autoscalerGuard(
    ({ decision: { held, limited } }) => limited?.replicas !== held?.replicas,
    "the limits are in the way",
    ({ decision }) => `${askedText(decision)}, the limits allow ${decision.desired}`
  )
}

export const autoscalerStepNumbers: ObservedNumbers = (context) => {
  const { seen, decision } = context as AutoscalerContext
  if (seen === undefined) return []
  const { minReplicas = 1, maxReplicas } = seen.autoscaler.spec
  return [
    ["replicas", "problem" in seen.target ? "unknown" : seen.target.replicas],
    ["bounds", `${minReplicas} to ${maxReplicas}`],
    ["asked", decision?.asked?.replicas ?? "nothing"],
    ["desired", decision?.desired ?? "unknown"],
    ["every", formatDuration(syncPeriodMillis)]
  ]
}
