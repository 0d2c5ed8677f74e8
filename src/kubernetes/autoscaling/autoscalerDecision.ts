import { limitSize, stabilize, withRecommendation } from "./scalingRates.ts"
import { metricProposals } from "./metricProposals.ts"
import { recordEvent, type RecordEvent } from "../apps/sharedCommands.ts"
import type { AutoscalerCondition, AutoscalerStatus, MetricStatus } from "./autoscalerTypes.ts"
import type { AutoscalerObservation, ScaleTarget } from "./autoscalerObservation.ts"
import type { LimitedSize, ScalingHistory } from "./scalingRates.ts"
import type { MetricFailure, MetricProposal } from "./metricProposals.ts"
import { timestampOf } from "../meta/amounts/timestamps.ts"

/** What a HorizontalPodAutoscaler decides at one look. */
export interface AutoscalerDecision {
  readonly outcome: "noTarget" | "disabled" | "aboveMax" | "belowMin" | "unmeasured" | "measured"
  readonly current: number
  readonly desired: number
  /** Why it scales, as the Event tells it. */
  readonly reason: string
  /** The size that the metrics ask for; the same after the stabilization window; and after the limits. */
  readonly asked?: { readonly replicas: number; readonly metric: string }
  readonly held?: LimitedSize
  readonly limited?: LimitedSize
  /** The conditions of the status that this look sets. */
  readonly claims: ReadonlyArray<ConditionUpdate>
  /** Undefined: those of the last look stay. */
  readonly metrics: ReadonlyArray<MetricStatus> | undefined
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

const gotScale: ConditionUpdate = {
  type: "AbleToScale",
  isTrue: true,
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale"
}

/** Source: pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler). */
export const decideScale = (seen: AutoscalerObservation, before: ScalingHistory): DecidedLook => {
  const { autoscaler, target, nowMillis } = seen
  const { minReplicas = 1, maxReplicas } = autoscaler.spec
  const { status } = autoscaler
  if ("problem" in target) {
    const current = status.currentReplicas ?? 0
    const message = `the HPA controller was unable to get the target's current scale: ${target.problem}`
    const decision: AutoscalerDecision = {
      ...unmoved("noTarget", current),
      claims: [{ type: "AbleToScale", isTrue: false, reason: "FailedGetScale", message }],
      events: [recordEvent("Warning", "FailedGetScale", target.problem)]
    }
    return { decision, history: before }
  }
  const current = target.replicas
  const history =
    before.recommendations.length > 0
      ? before
      : { ...before, recommendations: [{ replicas: current, atMillis: nowMillis }] }
  if (current === 0 && minReplicas !== 0) {
    const message = "scaling is disabled since the replica count of the target is zero"
    const claim = { type: "ScalingActive", isTrue: false, reason: "ScalingDisabled", message } as const
    return { decision: { ...unmoved("disabled", 0), metrics: [], claims: [gotScale, claim] }, history }
  }
  if (current > maxReplicas) {
    const reason = "Current number of replicas above Spec.MaxReplicas"
    return { decision: { ...toBound("aboveMax", current, maxReplicas), reason }, history }
  }
  if (current < minReplicas) {
    const reason = "Current number of replicas below Spec.MinReplicas"
    return { decision: { ...toBound("belowMin", current, minReplicas), reason }, history }
  }
  return decideByMetrics(seen, target, history)
}

const unmoved = (outcome: AutoscalerDecision["outcome"], current: number): AutoscalerDecision => ({
  outcome,
  current,
  desired: current,
  reason: "",
  claims: [],
  metrics: undefined,
  events: []
})

const toBound = (
  outcome: AutoscalerDecision["outcome"],
  current: number,
  desired: number
): AutoscalerDecision => ({ ...unmoved(outcome, current), desired, metrics: [], claims: [gotScale] })

const decideByMetrics = (
  seen: AutoscalerObservation,
  scale: ScaleTarget,
  history: ScalingHistory
): DecidedLook => {
  const current = scale.replicas
  const selection = selectionProblem(seen, scale)
  if (selection !== undefined) {
    const { event, claim } = selection
    const total = recordEvent("Warning", "FailedComputeMetricsReplicas", event.message)
    const decision: AutoscalerDecision = {
      ...unmoved("unmeasured", current),
      metrics: [],
      claims: [gotScale, claim],
      events: [event, total]
    }
    return { decision, history }
  }
  const proposals = metricProposals(seen, scale)
  const failures = proposals.flatMap((it) => ("failure" in it ? [it.failure] : []))
  const events = failures.map(({ reason, message }) => recordEvent("Warning", reason, message))
  // The metric of a failure is reported without a value.
  const metrics = proposals.map((it) => ("failure" in it ? { type: "" } : it.status))
  const highest = highestOf(proposals)
  const [first] = failures
  if (highest === undefined || (first !== undefined && highest.replicas < current)) {
    const { reason = "", message = "", summary = "" } = first ?? {}
    const counts = `${failures.length} invalid out of ${proposals.length}`
    const total = recordEvent(
      "Warning",
      "FailedComputeMetricsReplicas",
      `invalid metrics (${counts}), first error is: ${summary}`
    )
    const claim: ConditionUpdate = {
      type: "ScalingActive",
      isTrue: false,
      reason,
      message: `the HPA was unable to compute the replica count: ${message}`
    }
    const decision: AutoscalerDecision = {
      ...unmoved("unmeasured", current),
      metrics,
      claims: [gotScale, claim],
      events: [...events, total]
    }
    return { decision, history }
  }
  const { autoscaler, nowMillis } = seen
  const ask = { spec: autoscaler.spec, history, current, asked: highest.replicas, nowMillis }
  const held = stabilize(ask)
  const limited = limitSize({ ...ask, asked: held.replicas })
  const found = `the HPA was able to successfully calculate a replica count from ${highest.name}`
  const decision: AutoscalerDecision = {
    outcome: "measured",
    current,
    desired: limited.replicas,
    reason: rescaleReason(highest, current),
    asked: { replicas: highest.replicas, metric: highest.name },
    held,
    limited,
    metrics,
    claims: [
      gotScale,
      { type: "ScalingActive", isTrue: true, reason: "ValidMetricFound", message: found },
      { type: "AbleToScale", isTrue: true, reason: held.reason, message: held.message },
      {
        type: "ScalingLimited",
        isTrue: limited.replicas !== held.replicas,
        reason: limited.reason,
        message: limited.message
      }
    ],
    events
  }
  return { decision, history: withRecommendation(ask) }
}

/** Empty where a recommendation of the past makes it scale, as upstream leaves it. */
const rescaleReason = ({ name, replicas }: Measured, current: number): string =>
  replicas > current ? `${name} above target` : replicas < current ? "All metrics below target" : ""

type Measured = Exclude<MetricProposal, MetricFailure>

/** Of several metrics the one that asks for most. */
const highestOf = (proposals: ReadonlyArray<MetricProposal>): Measured | undefined => {
  let highest: Measured | undefined
  for (const proposal of proposals) {
    if ("failure" in proposal) continue
    if (highest === undefined || highest.replicas === 0 || proposal.replicas > highest.replicas)
      highest = proposal
  }
  return highest
}

/** Source: pkg/controller/podautoscaler/horizontal.go (validateAndParseSelector). */
const selectionProblem = (
  { rivals }: AutoscalerObservation,
  { selector = "" }: ScaleTarget
): { readonly event: RecordEvent; readonly claim: ConditionUpdate } | undefined => {
  if (selector === "") {
    const message = "the HPA target's scale is missing a selector"
    return {
      event: recordEvent("Warning", "SelectorRequired", "selector is required"),
      claim: { type: "ScalingActive", isTrue: false, reason: "InvalidSelector", message }
    }
  }
  if (rivals.length < 2) return undefined
  const message = `pods by selector ${selector} are controlled by multiple HPAs: [${rivals.join(" ")}]`
  return {
    event: recordEvent("Warning", "AmbiguousSelector", message),
    claim: { type: "ScalingActive", isTrue: false, reason: "AmbiguousSelector", message }
  }
}

/** The status after a look; `scaled` after the target's scale was written. */
export const statusAfter = (
  { autoscaler, nowMillis }: Pick<AutoscalerObservation, "autoscaler" | "nowMillis">,
  decision: AutoscalerDecision,
  {
    claims = [],
    scaled = false
  }: { readonly claims?: ReadonlyArray<ConditionUpdate>; readonly scaled?: boolean } = {}
): AutoscalerStatus => {
  const { status } = autoscaler
  const conditions = [...decision.claims, ...claims].reduce(
    (present, claim) => withConditionUpdate(present, claim, nowMillis),
    status.conditions ?? []
  )
  if (decision.outcome === "noTarget") return { ...status, conditions }
  const { metrics = status.currentMetrics ?? [], current, outcome } = decision
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
  const claimed: AutoscalerCondition = {
    type,
    status,
    ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
    reason,
    message
  }
  return present === undefined
    ? [...conditions, claimed]
    : conditions.map((it) => (it.type === type ? claimed : it))
}
