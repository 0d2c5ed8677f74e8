import { byVerdict, worstVerdict } from "./verdict.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { hasPredicateOn, predicatesFor } from "../predicates.ts"
import { isVagueReason } from "../seeds/incompleteReasons.ts"
import { workloadIdOf } from "../workloads.ts"
import { parseFieldPath } from "../../kubernetes/meta/text/fieldPath.ts"
import type { WorkloadId } from "../workloads.ts"
import type { TruePredicate, Predicate } from "../predicates.ts"
import type { Plan, RolloutPlan } from "../summarizePlan.ts"
import type { Unknown, UnknownKind } from "./unknownKinds.ts"
import type { Reason, ReasonedVerdict, RuleName, VerdictName } from "./verdict.ts"
import type { RolloutRun } from "../seeds/rolloutRun.ts"

export interface RolloutVerdict extends ReasonedVerdict {
  readonly rollout: RolloutPlan
}

export interface Judgement {
  /** The worst of all rollouts. */
  readonly verdict: VerdictName
  /** Worst first. */
  readonly rollouts: ReadonlyArray<RolloutVerdict>
  readonly acceptedUnknowns: ReadonlyArray<Unknown>
  readonly suppressedReasons: ReadonlyArray<SuppressedReason>
}

export interface SuppressedReason {
  readonly rollout: RolloutPlan
  readonly reason: Reason
  readonly because: string
}

/** A decision of the team that a rule does not count for some workloads. */
export interface Suppression {
  readonly rule: RuleName
  /** Undefined for all workloads. */
  readonly workloads: ReadonlySet<WorkloadId> | undefined
  readonly because: string
}

export interface JudgeOptions {
  readonly predicates: ReadonlyArray<Predicate>
  readonly truePredicates: ReadonlyArray<TruePredicate>
  readonly acceptedUnknowns: ReadonlyArray<UnknownKind>
  readonly reasonsOfAcceptedUnknowns?: ReadonlyMap<UnknownKind, string>
  readonly suppressions?: ReadonlyArray<Suppression>
}

const noOptions: JudgeOptions = { predicates: [], truePredicates: [], acceptedUnknowns: [] }

export const judgePlan = (plan: Plan, options = noOptions): Judgement => {
  const accepted = (unknown: Unknown): ReadonlyArray<Unknown> => {
    if (!options.acceptedUnknowns.includes(unknown.kind)) return []
    const reason = options.reasonsOfAcceptedUnknowns?.get(unknown.kind)
    return [reason === undefined ? unknown : { ...unknown, text: `${unknown.text} (accepted: ${reason})` }]
  }
  const suppressedReasons: Array<SuppressedReason> = []
  const rollouts = plan.rollouts
    .map((rollout) => {
      const isCounted = (reason: Reason): boolean => {
        const suppression = suppressionOf(reason, rollout, options.suppressions)
        if (suppression !== undefined)
          suppressedReasons.push({ rollout, reason, because: suppression.because })
        return suppression === undefined
      }
      return { rollout, ...verdictOf(plan, rollout, { ...options, isCounted }) }
    })
    .sort(byVerdict)
  return {
    verdict: worstVerdict(rollouts.map(({ verdict }) => verdict)),
    rollouts,
    acceptedUnknowns: plan.rollouts.flatMap(({ unknowns }) => unknowns.flatMap(accepted)),
    suppressedReasons
  }
}

export const suppressionOf = (
  { rule }: Pick<Reason, "rule">,
  rollout: RolloutPlan,
  suppressions: ReadonlyArray<Suppression> = []
): Suppression | undefined =>
  suppressions.find(
    (suppression) => suppression.rule === rule && (suppression.workloads?.has(workloadIdOf(rollout)) ?? true)
  )

/** A judgement without the figures of the plan, for programs. */
export interface JudgementSummary {
  readonly verdict: VerdictName
  /** Worst first. */
  readonly verdicts: ReadonlyArray<
    Pick<RolloutPlan, "kind" | "namespace" | "name"> & {
      readonly verdict: VerdictName
      readonly reasons: ReadonlyArray<string>
      /** The rule of each reason. */
      readonly rules: ReadonlyArray<RuleName>
    }
  >
  readonly accepted: ReadonlyArray<Pick<Unknown, "kind" | "text">>
  readonly suppressed: ReadonlyArray<
    Pick<RolloutPlan, "kind" | "namespace" | "name"> &
      Pick<Reason, "rule" | "text"> & { readonly because: string }
  >
}

export const judgementSummary = ({
  verdict,
  rollouts,
  acceptedUnknowns,
  suppressedReasons
}: Judgement): JudgementSummary => ({
  verdict,
  verdicts: rollouts.map(({ rollout: { kind, namespace, name }, verdict: rolloutVerdict, reasons }) => ({
    kind,
    namespace,
    name,
    verdict: rolloutVerdict,
    reasons: reasons.map(({ text }) => text),
    rules: reasons.map(({ rule }) => rule)
  })),
  accepted: acceptedUnknowns.map(({ kind, text }) => ({ kind, text })),
  suppressed: suppressedReasons.map(
    ({ rollout: { kind, namespace, name }, reason: { rule, text }, because }) => ({
      kind,
      namespace,
      name,
      rule,
      text,
      because
    })
  )
})

interface VerdictOptions extends JudgeOptions {
  /** False for a reason that the team suppresses. */
  readonly isCounted: (reason: Reason) => boolean
}

const verdictOf = (plan: Plan, rollout: RolloutPlan, options: VerdictOptions): ReasonedVerdict => {
  const { predicates, acceptedUnknowns, isCounted } = options
  const unknowns = rollout.unknowns.filter(({ kind }) => !acceptedUnknowns.includes(kind))
  // Where a predicate compares `stuck`, it alone decides about late and stuck seeds, unless it is suppressed.
  const isJudgedByPredicate =
    hasPredicateOn("stuck", predicatesFor(rollout, predicates)) &&
    suppressionOf({ rule: "threshold" }, rollout, options.suppressions) === undefined
  const isStuck = rollout.stuck + rollout.late > 0 && !isJudgedByPredicate
  // Pods that stay Pending for something that is not played do not make the rollout stuck.
  const hasUnplayedCause = rollout.unknowns.some((unknown) => isCauseOf(unknown, rollout))
  const isStuckAsPlayed = isStuck && !hasUnplayedCause
  const stuck = isStuckAsPlayed ? stuckReasons(plan, rollout).filter(isCounted) : []
  if (stuck.length > 0) return { verdict: "stuck", reasons: stuck }
  const unknownReasons = unknowns.map(unknownReason).filter(isCounted)
  if (unknownReasons.length > 0) return { verdict: "unknown", reasons: unknownReasons }
  // A missed deadline that was suppressed, or that something unplayed has caused, is no risk either.
  const risks = riskReasons(plan, rollout, options).filter(
    (reason) => !((isStuckAsPlayed || hasUnplayedCause) && isMissedDeadline(reason)) && isCounted(reason)
  )
  return risks.length > 0 ? { verdict: "risky", reasons: risks } : { verdict: "ships", reasons: [] }
}

/**
 * Whether an unknown may be why a rollout is stuck. A readiness gate does not stop containers: a reason that stops
 * them in every seed is the rollout's own.
 */
const isCauseOf = (
  { kind, keepsPending }: Unknown,
  { reasons, stuck, late }: Pick<RolloutPlan, "reasons" | "stuck" | "late">
): boolean =>
  keepsPending &&
  (kind !== "ReadinessGate" ||
    !reasons.some(({ reason, seeds }) => seeds === stuck + late && !isVagueReason(reason)))

const isMissedDeadline = ({ rule }: Reason): boolean => rule === "rollout-stuck" || rule === "rollout-late"

const unknownReason = ({ kind, rule = unknownRules[kind], text, field }: Unknown): Reason => ({
  rule,
  text,
  ...(field === undefined ? {} : { field })
})

const unknownRules: Readonly<Record<UnknownKind, RuleName>> = {
  MutatingWebhookConfiguration: "unknown-mutating-webhook",
  ValidatingWebhookConfiguration: "unknown-validating-webhook",
  MutatingAdmissionPolicy: "unknown-mutating-policy",
  ValidatingAdmissionPolicy: "unknown-validating-policy",
  CSIDriver: "unknown-csi-driver",
  NodeFile: "unknown-node-file",
  NodeLabel: "unknown-node-label",
  NodeResource: "unknown-node-resource",
  PodSecurity: "unknown-pod-security",
  ReadinessGate: "unknown-readiness-gate",
  RuntimeClass: "unknown-runtime-class",
  Scheduler: "unknown-scheduler",
  StorageClass: "unknown-storage-class",
  Sysctl: "unknown-sysctl"
}

export const outcomeTexts: Readonly<Record<RolloutRun["outcome"], string>> = {
  complete: "complete in time",
  late: "misses its deadline",
  stuck: "never completes"
}

const stuckReasons = ({ seeds }: Plan, rollout: RolloutPlan): ReadonlyArray<Reason> => {
  const { stuck, late, reasons } = rollout
  const rule = stuck > 0 ? "rollout-stuck" : "rollout-late"
  const outcome = outcomeTexts[stuck > 0 ? "stuck" : "late"]
  const missedSeeds = stuck + late
  const share = missedSeeds === seeds ? "" : ` with ${missedSeeds} of ${countText(seeds, "seed")}`
  if (reasons.length === 0) return [{ rule, text: `${outcome}${share}` }]
  return reasons.map(({ reason, field }, index) => ({
    rule,
    text: index === 0 ? `${outcome}${share}: ${reason}` : reason,
    // A late rollout completes: no field of its Pods is wrong, only its deadline too short.
    ...(field === undefined || stuck === 0 ? {} : { field: parseFieldPath(field) })
  }))
}

const riskReasons = (
  plan: Plan,
  rollout: RolloutPlan,
  { truePredicates }: JudgeOptions
): ReadonlyArray<Reason> => {
  const { requests, available, undo, stuck, late } = rollout
  const missedSeeds = stuck + late
  const reasonIf = (isTrue: boolean, rule: RuleName, text: () => string): ReadonlyArray<Reason> =>
    isTrue ? [{ rule, text: text() }] : []
  return [
    ...truePredicates
      .filter((condition) => condition.rollout === rollout)
      .map(({ predicate, actual, total }): Reason => ({
        rule: "threshold",
        text: `${predicate.text} is true${amountText(predicate, { actual, total })}`
      })),
    ...reasonIf(missedSeeds > 0, stuck > 0 ? "rollout-stuck" : "rollout-late", () => {
      return `is late or stuck with ${missedSeeds} of ${countText(plan.seeds, "seed")}`
    }),
    ...(requests === undefined
      ? []
      : [
          ...reasonIf(requests.unfound.length > 0, "service-without-pods", () => {
            return `${requests.unfound.map((name) => `Service/${name}`).join(" and ")} reaches none of its new Pods`
          }),
          ...reasonIf(
            requests.lost > 0,
            "requests-lost",
            () => `${lostShareText(requests)} of requests are lost`
          )
        ]),
    ...(available === undefined
      ? []
      : reasonIf(available.fewest === 0 && rollout.desired > 0, "no-pod-available", () => {
          return `no Pod is available for ${formatDuration(roundToSeconds(available.fewestMillis))}`
        })),
    ...reasonIf(isDaemonSetWithoutNode(rollout), "no-pod-available", () => {
      return `no node takes its Pods: they run on none of ${plan.room.nodes}`
    }),
    ...(undo === undefined
      ? []
      : reasonIf(undo.stuck > 0, "undo-stuck", () => {
          return `going back never completes with ${undo.stuck} of ${countText(undo.seeds, "seed")}`
        })),
    ...sizeReasons(rollout),
    ...rollout.risks
  ]
}

/** False if an unknown, such as a node label, may be why no node takes its Pods. */
const isDaemonSetWithoutNode = ({ kind, desired, unknowns }: RolloutPlan): boolean =>
  kind === "DaemonSet" && desired === 0 && !unknowns.some(({ keepsPending }) => keepsPending)

/** The smallest of the sizes with which the rollout is late or stuck. */
const sizeReasons = ({ sizes }: RolloutPlan): ReadonlyArray<Reason> => {
  const [failing] = sizes
    .filter(({ outcome }) => outcome !== "complete")
    .sort((a, b) => a.replicas - b.replicas)
  if (failing === undefined) return []
  const { replicas, autoscaler, outcome, reasons } = failing
  const [reason] = reasons
  const text =
    `with ${countText(replicas, "replica")}, as HorizontalPodAutoscaler/${autoscaler} allows, ` +
    `it ${outcomeTexts[outcome]}`
  return [{ rule: "autoscaler-range", text: reason === undefined ? text : `${text}: ${reason}` }]
}

const amountText = (
  { measure }: Predicate,
  { actual, total }: { readonly actual: number; readonly total: number }
): string => (measure.startsWith("duration") || actual === Infinity ? "" : `: ${actual} of ${total}`)

/** `1.2%` */
export const lostShareText = ({
  lost,
  requests
}: {
  readonly lost: number
  readonly requests: number
}): string => {
  const percent = (lost / Math.max(1, requests)) * 100
  return percent < 0.1 ? "less than 0.1%" : `${Number(percent.toFixed(1))}%`
}

const roundToSeconds = (millis: number): number => Math.max(1, Math.round(millis / 1000)) * 1000
