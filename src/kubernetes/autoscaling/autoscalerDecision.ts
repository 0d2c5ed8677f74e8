import { sizeWithinLimits, stabilizedSize, withRecommendation } from "./scalingRates.ts"
import { metricProposals } from "./metricProposals.ts"
import { recordEvent, type RecordEvent } from "../apps/sharedCommands.ts"
import type { AutoscalerCondition, AutoscalerStatus, MetricStatus } from "./autoscalerTypes.ts"
import type { AutoscalerObservation, ScaleTarget } from "./autoscalerObservation.ts"
import type { LimitedSize, ScalingHistory } from "./scalingRates.ts"
import type { MetricFailure, MetricProposal } from "./metricProposals.ts"
import { timestampOf } from "../meta/amounts/timestamps.ts"

export interface AutoscalerDecision {
  /**
   * `disabled`: the target has 0 replicas. `unmeasured`: no metric could be read, or too few to
   * scale down. `measured`: the metrics decide.
   */
  readonly outcome: "noTarget" | "disabled" | "aboveMax" | "belowMin" | "unmeasured" | "measured"
  readonly current: number
  readonly desired: number
  /** Why the target is scaled, for the Event. */
  readonly reason: string
  /** The sizes that the metrics propose, the stabilization window allows, and the limits allow. */
  readonly proposed?: { readonly replicas: number; readonly metric: string }
  readonly stabilized?: LimitedSize
  readonly limited?: LimitedSize
  readonly conditionUpdates: ReadonlyArray<ConditionUpdate>
  /** The new `status.currentMetrics`; empty if the metrics are not read. */
  readonly metrics: ReadonlyArray<MetricStatus>
  readonly events: ReadonlyArray<RecordEvent>
}

export interface ConditionUpdate {
  readonly type: "AbleToScale" | "ScalingActive" | "ScalingLimited"
  readonly isTrue: boolean
  readonly reason: string
  readonly message: string
}

export interface DecidedLook {
  readonly decision: AutoscalerDecision
  readonly history: ScalingHistory
}

const scaleReadUpdate: ConditionUpdate = {
  type: "AbleToScale",
  isTrue: true,
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale"
}

/** Source: pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler). */
export const decideScale = (seen: AutoscalerObservation, formerHistory: ScalingHistory): DecidedLook => {
  const { autoscaler, target, nowMillis } = seen
  const { minReplicas = 1, maxReplicas } = autoscaler.spec
  const { status } = autoscaler
  if ("problem" in target) {
    const current = status.currentReplicas ?? 0
    const message = `the HPA controller was unable to get the target's current scale: ${target.problem}`
    const decision: AutoscalerDecision = {
      ...withoutChange("noTarget", current),
      conditionUpdates: [{ type: "AbleToScale", isTrue: false, reason: "FailedGetScale", message }],
      events: [recordEvent("Warning", "FailedGetScale", target.problem)]
    }
    return { decision, history: formerHistory }
  }
  const current = target.replicas
  const history =
    formerHistory.recommendations.length > 0
      ? formerHistory
      : { ...formerHistory, recommendations: [{ replicas: current, atMillis: nowMillis }] }
  if (current === 0 && minReplicas !== 0) {
    const message = "scaling is disabled since the replica count of the target is zero"
    const disabledUpdate = {
      type: "ScalingActive",
      isTrue: false,
      reason: "ScalingDisabled",
      message
    } as const
    return {
      decision: {
        ...withoutChange("disabled", 0),
        conditionUpdates: [scaleReadUpdate, disabledUpdate]
      },
      history
    }
  }
  if (current > maxReplicas) {
    const reason = "Current number of replicas above Spec.MaxReplicas"
    return { decision: { ...decisionAtBound("aboveMax", current, maxReplicas), reason }, history }
  }
  if (current < minReplicas) {
    const reason = "Current number of replicas below Spec.MinReplicas"
    return { decision: { ...decisionAtBound("belowMin", current, minReplicas), reason }, history }
  }
  return decideByMetrics(seen, target, history)
}

const withoutChange = (outcome: AutoscalerDecision["outcome"], current: number): AutoscalerDecision => ({
  outcome,
  current,
  desired: current,
  reason: "",
  conditionUpdates: [],
  metrics: [],
  events: []
})

const decisionAtBound = (
  outcome: AutoscalerDecision["outcome"],
  current: number,
  desired: number
): AutoscalerDecision => ({
  ...withoutChange(outcome, current),
  desired,
  conditionUpdates: [scaleReadUpdate]
})

const decideByMetrics = (
  seen: AutoscalerObservation,
  scale: ScaleTarget,
  history: ScalingHistory
): DecidedLook => {
  const current = scale.replicas
  const problem = selectionProblem(seen, scale)
  if (problem !== undefined) {
    const { event, conditionUpdate } = problem
    const overallEvent = recordEvent("Warning", "FailedComputeMetricsReplicas", event.message)
    const decision: AutoscalerDecision = {
      ...withoutChange("unmeasured", current),
      conditionUpdates: [scaleReadUpdate, conditionUpdate],
      events: [event, overallEvent]
    }
    return { decision, history }
  }
  const proposals = metricProposals(seen, scale)
  const failures = proposals.flatMap((it) => ("failure" in it ? [it.failure] : []))
  const events = failures.map(({ reason, message }) => recordEvent("Warning", reason, message))
  // A metric that could not be read is reported without a value.
  const metrics = proposals.map((it) => ("failure" in it ? { type: "" } : it.status))
  const highest = highestOf(proposals)
  const [firstFailure] = failures
  // A metric without a reading might ask for more, so the others do not scale down.
  if (highest === undefined || (firstFailure !== undefined && highest.replicas < current)) {
    const { reason = "", message = "", summary = "" } = firstFailure ?? {}
    const counts = `${failures.length} invalid out of ${proposals.length}`
    const overallEvent = recordEvent(
      "Warning",
      "FailedComputeMetricsReplicas",
      `invalid metrics (${counts}), first error is: ${summary}`
    )
    const failedUpdate: ConditionUpdate = {
      type: "ScalingActive",
      isTrue: false,
      reason,
      message: `the HPA was unable to compute the replica count: ${message}`
    }
    const decision: AutoscalerDecision = {
      ...withoutChange("unmeasured", current),
      metrics,
      conditionUpdates: [scaleReadUpdate, failedUpdate],
      events: [...events, overallEvent]
    }
    return { decision, history }
  }
  const { autoscaler, nowMillis } = seen
  const request = { spec: autoscaler.spec, history, current, proposed: highest.replicas, nowMillis }
  const stabilized = stabilizedSize(request)
  const limited = sizeWithinLimits({ ...request, proposed: stabilized.replicas })
  const foundMessage = `the HPA was able to successfully calculate a replica count from ${highest.name}`
  const decision: AutoscalerDecision = {
    outcome: "measured",
    current,
    desired: limited.replicas,
    reason: rescaleReason(highest, current),
    proposed: { replicas: highest.replicas, metric: highest.name },
    stabilized,
    limited,
    metrics,
    conditionUpdates: [
      scaleReadUpdate,
      { type: "ScalingActive", isTrue: true, reason: "ValidMetricFound", message: foundMessage },
      { type: "AbleToScale", isTrue: true, reason: stabilized.reason, message: stabilized.message },
      {
        type: "ScalingLimited",
        isTrue: limited.replicas !== stabilized.replicas,
        reason: limited.reason,
        message: limited.message
      }
    ],
    events
  }
  return { decision, history: withRecommendation(request) }
}

/** As in Kubernetes, "" if only a past recommendation makes the autoscaler scale. */
const rescaleReason = ({ name, replicas }: SizeProposal, current: number): string =>
  replicas > current ? `${name} above target` : replicas < current ? "All metrics below target" : ""

type SizeProposal = Exclude<MetricProposal, MetricFailure>

/** The highest proposal; as in Kubernetes, the last of several proposals for 0. */
const highestOf = (proposals: ReadonlyArray<MetricProposal>): SizeProposal | undefined => {
  let highest: SizeProposal | undefined
  for (const proposal of proposals) {
    if ("failure" in proposal) continue
    if (highest === undefined || highest.replicas === 0 || proposal.replicas > highest.replicas)
      highest = proposal
  }
  return highest
}

/**
 * Why the target's Pods cannot be measured. Source: pkg/controller/podautoscaler/horizontal.go
 * (validateAndParseSelector).
 */
const selectionProblem = (
  { competingAutoscalers }: AutoscalerObservation,
  { selector = "" }: ScaleTarget
): { readonly event: RecordEvent; readonly conditionUpdate: ConditionUpdate } | undefined => {
  if (selector === "") {
    const message = "the HPA target's scale is missing a selector"
    return {
      event: recordEvent("Warning", "SelectorRequired", "selector is required"),
      conditionUpdate: { type: "ScalingActive", isTrue: false, reason: "InvalidSelector", message }
    }
  }
  if (competingAutoscalers.length < 2) return undefined
  const message = `pods by selector ${selector} are controlled by multiple HPAs: [${competingAutoscalers.join(" ")}]`
  return {
    event: recordEvent("Warning", "AmbiguousSelector", message),
    conditionUpdate: { type: "ScalingActive", isTrue: false, reason: "AmbiguousSelector", message }
  }
}

/** `scaled`: whether the scale was written. A failed write keeps `desiredReplicas`. */
export const statusAfterLook = (
  { autoscaler, nowMillis }: Pick<AutoscalerObservation, "autoscaler" | "nowMillis">,
  decision: AutoscalerDecision,
  {
    conditionUpdates = [],
    scaled = false
  }: { readonly conditionUpdates?: ReadonlyArray<ConditionUpdate>; readonly scaled?: boolean } = {}
): AutoscalerStatus => {
  const { status } = autoscaler
  const conditions = [...decision.conditionUpdates, ...conditionUpdates].reduce(
    (present, conditionUpdate) => withConditionUpdate(present, conditionUpdate, nowMillis),
    status.conditions ?? []
  )
  if (decision.outcome === "noTarget") return { ...status, conditions }
  const { metrics, current, outcome } = decision
  const isDecided = outcome !== "unmeasured" && (scaled || decision.desired === current)
  const lastScaleTime = scaled ? timestampOf(nowMillis) : status.lastScaleTime
  return {
    ...(current === 0 ? {} : { currentReplicas: current }),
    desiredReplicas: isDecided ? decision.desired : status.desiredReplicas,
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    ...(metrics.length === 0 ? {} : { currentMetrics: metrics }),
    conditions
  }
}

/** Source: pkg/controller/podautoscaler/horizontal.go (setConditionInList). */
const withConditionUpdate = (
  conditions: ReadonlyArray<AutoscalerCondition>,
  { type, isTrue, reason, message }: ConditionUpdate,
  nowMillis: number
): ReadonlyArray<AutoscalerCondition> => {
  const status = isTrue ? "True" : "False"
  const present = conditions.find((it) => it.type === type)
  const lastTransitionTime = present?.status === status ? present.lastTransitionTime : timestampOf(nowMillis)
  const condition: AutoscalerCondition = {
    type,
    status,
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
    reason,
    message
  }
  return present === undefined
    ? [...conditions, condition]
    : conditions.map((it) => (it.type === type ? condition : it))
}
