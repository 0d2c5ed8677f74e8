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
import type { LossCause } from "./services/serviceTraffic.ts"

export type LedgerRule =
  /** The bounds of a Deployment's rollout, and of a DaemonSet's update. */
  | "ceiling"
  | "floor"
  /** A ReplicaSet creates and deletes only as many Pods as its size asks for. */
  | "asked"
  /** Within a status: available <= ready <= replicas >= updated. */
  | "statusSums"
  | "statusCounts"
  /** A Pod has at most one owner that controls it. */
  | "oneController"
  /** Revision numbers never fall, and differ between the ReplicaSets of a Deployment. */
  | "revisionsGrow"
  | "observedGeneration"
  /** No new Pod is created while an old one exists. */
  | "recreate"
  /** A paused rollout only scales its ReplicaSets proportionally. */
  | "paused"
  | "ordinals"
  /** With OrderedReady, Pods are created in order and replaced one at a time. */
  | "ordered"
  /** A Job has no more active Pods than its parallelism. */
  | "parallelism"
  | "invariant"

export interface Violation {
  readonly rule: LedgerRule
  readonly atMillis: number
  /** `namespace/name` of the Deployment; of the object itself if it has none. */
  readonly subject: string
  /** Names the controller or client, and what it did. */
  readonly who: string
  readonly what: string
  /** The counts behind the numbers of `broken`. */
  readonly sums: string
  /** A rule with its numbers: `Pods <= replicas: 4 <= 3`. */
  readonly broken: string
  readonly lostBecause?: ReadonlyArray<LossCause>
  /** Index of the story's invariant, from 0. */
  readonly invariant?: number
}

export type ViolationDetails = Omit<Violation, "atMillis" | "subject">

export interface ScalingStep {
  readonly deployment: Deployment
  readonly strategies: ReadonlyArray<Strategy> | undefined
  readonly account: Pick<PodAccount, "availableOf" | "presentOf">
  readonly before: ReplicaSet | undefined
  readonly after: ReplicaSet
  readonly replicaSets: ReadonlyArray<ReplicaSet>
}

/**
 * Reported and actual counts must both break the floor: the controller cannot know of Pods that were lost or
 * recovered meanwhile.
 */
export const checkScalingStep = (step: ScalingStep): ReadonlyArray<ViolationDetails> => {
  const { before, after } = step
  const replicasBefore = before?.spec.replicas ?? 0
  const replicasAfter = after.spec.replicas
  const attribution = {
    who: `Deployment controller`,
    what:
      before === undefined
        ? `created ReplicaSet ${after.metadata.name} of ${replicasAfter}`
        : `scaled ReplicaSet ${after.metadata.name} from ${replicasBefore} to ${replicasAfter}`
  }
  return [checkBounds, checkStopsOldFirst, checkPaused].flatMap((check) => {
    const details = check(step, replicasBefore, replicasAfter)
    return details === undefined ? [] : [{ ...attribution, ...details }]
  })
}

type ViolatedRule = Pick<Violation, "rule" | "sums" | "broken">

const checkBounds = (
  step: ScalingStep,
  replicasBefore: number,
  replicasAfter: number
): ViolatedRule | undefined => {
  const { deployment, strategies, account, replicaSets } = step
  const { podsMax, availableMin } = rolloutBounds(deployment, strategies)
  const desiredTotal = replicaSets.reduce((sum, { spec }) => sum + spec.replicas, 0)
  if (replicasAfter > replicasBefore && podsMax !== undefined && desiredTotal > podsMax) {
    const { replicas } = deployment.spec
    const sums = replicaSets
      .filter(({ spec }) => spec.replicas > 0)
      .map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`)
    return {
      rule: "ceiling",
      sums: `${sums.join(" + ")} = ${desiredTotal} Pods asked for; desired ${replicas} + surge ${podsMax - replicas} = ${podsMax}`,
      broken: `Pods <= desired + maxSurge: ${desiredTotal} <= ${podsMax}`
    }
  }
  if (replicasAfter >= replicasBefore || availableMin === undefined || isForNewReplicas(step))
    return undefined
  const reported = availableBeforeAndAfter(
    step,
    replicasBefore,
    ({ status }) => status.availableReplicas ?? 0
  )
  const actual = availableBeforeAndAfter(step, replicasBefore, ({ metadata }) =>
    account.availableOf(metadata.uid)
  )
  const { available, remaining } = reported.remaining > actual.remaining ? reported : actual
  // A step that takes no available Pod away may begin below the floor.
  const takesNoneAway = [reported, actual].some((counts) => counts.remaining === counts.available)
  if (remaining >= availableMin || takesNoneAway) return undefined
  const { replicas } = deployment.spec
  const unavailable = replicasBefore - replicasAfter - (available - remaining)
  return {
    rule: "floor",
    sums:
      `${available} available, ${replicasBefore - replicasAfter} to go of which ${unavailable} are not available: ` +
      `${available} - ${available - remaining} = ${remaining}; desired ${replicas} - unavailable ${replicas - availableMin} = ${availableMin}`,
    broken: `available >= desired - maxUnavailable: ${remaining} >= ${availableMin}`
  }
}

/** Unavailable Pods are deleted first. */
const availableBeforeAndAfter = (
  { after, replicaSets }: ScalingStep,
  replicasBefore: number,
  availableOf: (replicaSet: ReplicaSet) => number
): { readonly available: number; readonly remaining: number } => {
  const availableOfOthers = replicaSets
    .filter(({ metadata }) => metadata.uid !== after.metadata.uid)
    .reduce((sum, other) => sum + Math.min(other.spec.replicas, availableOf(other)), 0)
  return {
    available: availableOfOthers + Math.min(replicasBefore, availableOf(after)),
    remaining: availableOfOthers + Math.min(after.spec.replicas, availableOf(after))
  }
}

/** Proportional scaling after a change of replicas resizes every ReplicaSet, available or not. */
const isForNewReplicas = ({ deployment, before }: ScalingStep): boolean =>
  before !== undefined && parseCountAnnotation(before, desiredReplicasAnnotation) !== deployment.spec.replicas

const isForNewCeiling = ({ deployment, strategies, before }: ScalingStep): boolean =>
  before !== undefined &&
  parseCountAnnotation(before, maxReplicasAnnotation) !== rolloutBounds(deployment, strategies).podsMax

/** Source: pkg/controller/deployment/recreate.go (oldPodsRunning). */
const checkStopsOldFirst = (
  step: ScalingStep,
  replicasBefore: number,
  replicasAfter: number
): ViolatedRule | undefined => {
  const { deployment, strategies, account, after, replicaSets } = step
  if (!stopsOldFirst(deployment, strategies) || replicasAfter <= replicasBefore || isForNewReplicas(step))
    return undefined
  if (!isSameTemplate(after.spec.template, deployment.spec.template)) return undefined
  const oldReplicaSets = replicaSets.filter(({ metadata }) => metadata.uid !== after.metadata.uid)
  const podCounts = oldReplicaSets.map(
    ({ metadata }) => [metadata.name, account.presentOf(metadata.uid)] as const
  )
  const total = podCounts.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return undefined
  return {
    rule: "recreate",
    sums: `old Pods still there: ${podCounts.flatMap(([name, count]) => (count > 0 ? `${name} ${count}` : [])).join(", ")}`,
    broken: `old Pods = 0 before a new one is asked for: ${total} = 0`
  }
}

/** Source: pkg/controller/deployment/sync.go (scale). */
const checkPaused = (
  step: ScalingStep,
  replicasBefore: number,
  replicasAfter: number
): ViolatedRule | undefined => {
  const { deployment, strategies, before, after, replicaSets } = step
  const { paused = false, replicas, template } = deployment.spec
  if (!paused || isForNewReplicas(step) || isForNewCeiling(step)) return undefined
  const otherReplicaSets = replicaSets.filter(({ metadata }) => metadata.uid !== after.metadata.uid)
  const othersWithPods = otherReplicaSets.filter(({ spec }) => spec.replicas > 0)
  const desiredTotal = replicasBefore + othersWithPods.reduce((sum, { spec }) => sum + spec.replicas, 0)
  const podsMax = rolloutBounds(deployment, strategies).podsMax ?? replicas
  // Allowed: proportional scaling, the whole size for the only ReplicaSet with Pods, and 0 for an old one beside a
  // complete new one.
  const isProportional =
    replicasAfter > replicasBefore ? replicasBefore > 0 && desiredTotal < podsMax : desiredTotal > podsMax
  const hasCompleteOther = othersWithPods.some(
    ({ spec }) => isSameTemplate(spec.template, template) && spec.replicas === replicas
  )
  const isLastWithPods = othersWithPods.length === 0 && replicasAfter === replicas
  if (before !== undefined && (isProportional || isLastWithPods || (replicasAfter === 0 && hasCompleteOther)))
    return undefined
  const othersText = othersWithPods
    .map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`)
    .join(", ")
  return {
    rule: "paused",
    sums: `spec.paused is true; beside it ${othersText === "" ? "no other" : othersText}`,
    broken: `a paused rollout goes no further: ${after.metadata.name} ${replicasBefore} = ${replicasAfter}`
  }
}

export const violationText = (violation: Violation, number: number): string => {
  const { atMillis, subject, who, what, sums, broken } = violation
  return joinEscapedLines([
    `[${number}] +${(atMillis / 1000).toFixed(3)}s  ${subject === "" ? "" : `${subject}: `}${who} ${what}`,
    `      ${sums}`,
    `      broken: ${broken}`
  ])
}

export const violationTitle = ({ subject, who, what, broken }: Violation): string =>
  `${subject === "" ? "" : `${subject}: `}${who} ${what}; broken: ${broken}`
