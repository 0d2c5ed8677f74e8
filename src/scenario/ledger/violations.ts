import { joinEscapedLines } from "../../kubernetes/meta/text/escapeControls.ts"
import { isSameTemplate } from "../../kubernetes/apps/revisions/podTemplates.ts"
import { rolloutBounds, stopsOldFirst } from "../../../machines/strategies/strategies.ts"
import {
  parseCountAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation
} from "../../kubernetes/apps/revisions/revisions.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { PodAccount } from "./podAccount.ts"
import type { LossCause } from "./serviceTraffic.ts"

/** Rules that hold at every instant of a rollout, under any fault. */
export type LedgerRule =
  | "ceiling"
  | "floor"
  | "asked"
  | "statusSums"
  | "statusCounts"
  | "oneController"
  | "revisionsGrow"
  | "observedGeneration"
  | "recreate"
  | "paused"
  | "invariant"

export interface Violation {
  readonly rule: LedgerRule
  readonly atMillis: number
  /** `namespace/name` of the Deployment, or of the object itself without one. */
  readonly subject: string
  readonly who: string
  readonly what: string
  readonly sums: string
  readonly broken: string
  /** Why requests were lost so far; omitted if the rule is not about requests. */
  readonly lostBecause?: ReadonlyArray<LossCause>
  /** Index of the story's invariant, from 0 on. */
  readonly invariant?: number
}

export type ViolationDetails = Omit<Violation, "atMillis" | "subject">

/** The Deployment controller resizes a ReplicaSet. */
export interface ScalingStep {
  readonly deployment: Deployment
  readonly strategies: ReadonlyArray<Strategy> | undefined
  /** Counts of its Pods, by ReplicaSet uid. */
  readonly account: Pick<PodAccount, "availableOf" | "presentOf">
  readonly before: ReplicaSet | undefined
  readonly after: ReplicaSet
  /** All its ReplicaSets after the step. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
}

/**
 * Checks that a step does not ask for too many Pods and does not go below the floor. The floor is violated only by
 * both the reported and the actual counts: the controller cannot know of Pods that were lost or recovered meanwhile.
 */
export const checkScalingStep = (step: ScalingStep): ReadonlyArray<ViolationDetails> => {
  const { before, after } = step
  const from = before?.spec.replicas ?? 0
  const to = after.spec.replicas
  const actor = {
    who: `Deployment controller`,
    what:
      before === undefined
        ? `created ReplicaSet ${after.metadata.name} of ${to}`
        : `scaled ReplicaSet ${after.metadata.name} from ${from} to ${to}`
  }
  return [checkBounds, checkStopsOldFirst, checkPaused].flatMap((check) => {
    const details = check(step, from, to)
    return details === undefined ? [] : [{ ...actor, ...details }]
  })
}

type RuleSums = Pick<Violation, "rule" | "sums" | "broken">

const checkBounds = (step: ScalingStep, from: number, to: number): RuleSums | undefined => {
  const { deployment, strategies, account, replicaSets: family } = step
  const { podsMax, availableMin } = rolloutBounds(deployment, strategies)
  const desiredTotal = family.reduce((sum, { spec }) => sum + spec.replicas, 0)
  if (to > from && podsMax !== undefined && desiredTotal > podsMax) {
    const { replicas } = deployment.spec
    const sums = family
      .filter(({ spec }) => spec.replicas > 0)
      .map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`)
    return {
      rule: "ceiling",
      sums: `${sums.join(" + ")} = ${desiredTotal} Pods asked for; desired ${replicas} + surge ${podsMax - replicas} = ${podsMax}`,
      broken: `Pods <= desired + maxSurge: ${desiredTotal} <= ${podsMax}`
    }
  }
  if (to >= from || availableMin === undefined || isScaled(step)) return undefined
  const reported = availableAfter(step, from, ({ status }) => status.availableReplicas ?? 0)
  const actual = availableAfter(step, from, ({ metadata }) => account.availableOf(metadata.uid))
  const { available, remaining } = reported.remaining > actual.remaining ? reported : actual
  if (remaining >= availableMin || [reported, actual].some((it) => it.remaining === it.available))
    return undefined
  const { replicas } = deployment.spec
  const unavailable = from - to - (available - remaining)
  return {
    rule: "floor",
    sums:
      `${available} available, ${from - to} to go of which ${unavailable} are not available: ` +
      `${available} - ${available - remaining} = ${remaining}; desired ${replicas} - unavailable ${replicas - availableMin} = ${availableMin}`,
    broken: `available >= desired - maxUnavailable: ${remaining} >= ${availableMin}`
  }
}

/**
 * How many Pods are available now, and will be once all ReplicaSets have their desired size. Unavailable Pods are
 * deleted first.
 */
const availableAfter = (
  { after, replicaSets: family }: ScalingStep,
  from: number,
  availableOf: (replicaSet: ReplicaSet) => number
): { readonly available: number; readonly remaining: number } => {
  const others = family
    .filter(({ metadata }) => metadata.uid !== after.metadata.uid)
    .reduce((sum, it) => sum + Math.min(it.spec.replicas, availableOf(it)), 0)
  return {
    available: others + Math.min(from, availableOf(after)),
    remaining: others + Math.min(after.spec.replicas, availableOf(after))
  }
}

/** Proportional scaling changes all ReplicaSets, available or not. */
const isScaled = ({ deployment, before }: ScalingStep): boolean =>
  before !== undefined && parseCountAnnotation(before, desiredReplicasAnnotation) !== deployment.spec.replicas

const hasOtherMax = ({ deployment, strategies, before }: ScalingStep): boolean =>
  before !== undefined &&
  parseCountAnnotation(before, maxReplicasAnnotation) !== rolloutBounds(deployment, strategies).podsMax

/**
 * Recreate, and a strategy like it, starts new Pods after all old ones are gone, terminating ones included.
 *
 * Source: pkg/controller/deployment/recreate.go (oldPodsRunning).
 */
const checkStopsOldFirst = (step: ScalingStep, from: number, to: number): RuleSums | undefined => {
  const { deployment, strategies, account, after, replicaSets: family } = step
  if (!stopsOldFirst(deployment, strategies) || to <= from || isScaled(step)) return undefined
  if (!isSameTemplate(after.spec.template, deployment.spec.template)) return undefined
  const old = family.filter(({ metadata }) => metadata.uid !== after.metadata.uid)
  const present = old.map(({ metadata }) => [metadata.name, account.presentOf(metadata.uid)] as const)
  const total = present.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return undefined
  return {
    rule: "recreate",
    sums: `old Pods still there: ${present.flatMap(([name, count]) => (count > 0 ? `${name} ${count}` : [])).join(", ")}`,
    broken: `old Pods = 0 before a new one is asked for: ${total} = 0`
  }
}

/**
 * A paused rollout only scales proportionally: no ReplicaSet is created or restored, none grows beyond the ceiling,
 * and none shrinks in favour of another.
 *
 * Source: pkg/controller/deployment/sync.go (scale).
 */
const checkPaused = (step: ScalingStep, from: number, to: number): RuleSums | undefined => {
  const { deployment, strategies, before, after, replicaSets: family } = step
  const { paused = false, replicas, template } = deployment.spec
  if (!paused || isScaled(step) || hasOtherMax(step)) return undefined
  const others = family.filter(({ metadata }) => metadata.uid !== after.metadata.uid)
  const othersWithPods = others.filter(({ spec }) => spec.replicas > 0)
  const desiredTotal = from + othersWithPods.reduce((sum, { spec }) => sum + spec.replicas, 0)
  const podsMax = rolloutBounds(deployment, strategies).podsMax ?? replicas
  const isProportional = to > from ? from > 0 && desiredTotal < podsMax : desiredTotal > podsMax
  const isComplete = othersWithPods.some(
    ({ spec }) => isSameTemplate(spec.template, template) && spec.replicas === replicas
  )
  const isOnlyOne = othersWithPods.length === 0 && to === replicas
  if (before !== undefined && (isProportional || isOnlyOne || (to === 0 && isComplete))) return undefined
  const besideText = othersWithPods
    .map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`)
    .join(", ")
  return {
    rule: "paused",
    sums: `spec.paused is true; beside it ${besideText === "" ? "no other" : besideText}`,
    broken: `a paused rollout goes no further: ${after.metadata.name} ${from} = ${to}`
  }
}

/** A numbered report of a violation, in several lines. */
export const violationText = (violation: Violation, number: number): string => {
  const { atMillis, subject, who, what, sums, broken: details } = violation
  return joinEscapedLines([
    `[${number}] +${(atMillis / 1000).toFixed(3)}s  ${subject === "" ? "" : `${subject}: `}${who} ${what}`,
    `      ${sums}`,
    `      broken: ${details}`
  ])
}

export const violationTitle = ({ subject, who, what, broken: details }: Violation): string =>
  `${subject === "" ? "" : `${subject}: `}${who} ${what}; broken: ${details}`
