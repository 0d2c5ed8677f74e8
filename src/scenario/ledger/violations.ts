import { joinLines } from "../../domain/escapeControls.ts"
import { isSameTemplate } from "../../domain/podTemplates.ts"
import { promisesOf } from "../../domain/promises.ts"
import { countAnnotation, desiredAnnotation, maxAnnotation } from "../../domain/revisions.ts"
import type { Deployment, ReplicaSet } from "../../domain/objects.ts"
import type { Account } from "./account.ts"
import type { LossCause } from "./serviceTraffic.ts"

/** The rules that a rollout keeps at every instant, whatever goes wrong around it. */
export type Rule =
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

/** One broken rule: who did what and when, the sums, and the line that does not hold. */
export interface Violation {
  readonly rule: Rule
  readonly atMillis: number
  /** `namespace/name` of the Deployment, or of the object itself where it has none. */
  readonly subject: string
  readonly who: string
  readonly what: string
  readonly sums: string
  readonly broken: string
  /** Why the requests were lost by which it is broken, all that were by then; left out where it is not of requests. */
  readonly lostBecause?: ReadonlyArray<LossCause>
  /** Which of the story's invariants it is, from 0 on; undefined for the rules that every rollout keeps. */
  readonly invariant?: number
}

/** A broken rule, before it is said when and of whom. */
export type Broken = Omit<Violation, "atMillis" | "subject">

/** A Deployment controller's step: a ReplicaSet of its is to have another size. */
export interface Step {
  readonly deployment: Deployment
  /** Of its Pods, by the uids of its ReplicaSets. */
  readonly account: Pick<Account, "availableOf" | "presentOf">
  readonly before: ReplicaSet | undefined
  readonly after: ReplicaSet
  /** All its ReplicaSets as they are now, the changed one among them. */
  readonly family: ReadonlyArray<ReplicaSet>
}

/**
 * Whether a step asks for too many Pods, or takes away what availability cannot spare. Pods lost meanwhile that the
 * controller cannot know of yet are not its fault, nor are those that have come back: a step takes too many only where
 * that is so by what it was told and by what is there.
 */
export const judgeStep = (step: Step): ReadonlyArray<Broken> => {
  const { before, after } = step
  const from = before?.spec.replicas ?? 0
  const to = after.spec.replicas
  const act = {
    who: `Deployment controller`,
    what:
      before === undefined
        ? `created ReplicaSet ${after.metadata.name} of ${to}`
        : `scaled ReplicaSet ${after.metadata.name} from ${from} to ${to}`
  }
  return [judgeAmounts, judgeRecreate, judgePaused].flatMap((judge) => {
    const broken = judge(step, from, to)
    return broken === undefined ? [] : [{ ...act, ...broken }]
  })
}

type Sums = Pick<Violation, "rule" | "sums" | "broken">

const judgeAmounts = (step: Step, from: number, to: number): Sums | undefined => {
  const { deployment, account, family } = step
  const { podsMax, availableMin } = promisesOf(deployment)
  const asked = family.reduce((sum, { spec }) => sum + spec.replicas, 0)
  if (to > from && podsMax !== undefined && asked > podsMax) {
    const { replicas } = deployment.spec
    const sums = family
      .filter(({ spec }) => spec.replicas > 0)
      .map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`)
    return {
      rule: "ceiling",
      sums: `${sums.join(" + ")} = ${asked} Pods asked for; desired ${replicas} + surge ${podsMax - replicas} = ${podsMax}`,
      broken: `Pods <= desired + maxSurge: ${asked} <= ${podsMax}`
    }
  }
  if (to >= from || availableMin === undefined || isScaled(step)) return undefined
  const told = stays(step, from, ({ status }) => status.availableReplicas ?? 0)
  const there = stays(step, from, ({ metadata }) => account.availableOf(metadata.uid))
  const { known, left } = told.left > there.left ? told : there
  if (left >= availableMin || [told, there].some((it) => it.left === it.known)) return undefined
  const { replicas } = deployment.spec
  const idle = from - to - (known - left)
  return {
    rule: "floor",
    sums:
      `${known} available, ${from - to} to go of which ${idle} are not available: ` +
      `${known} - ${known - left} = ${left}; desired ${replicas} - unavailable ${replicas - availableMin} = ${availableMin}`,
    broken: `available >= desired - maxUnavailable: ${left} >= ${availableMin}`
  }
}

/**
 * How many Pods were available and how many stay so when all is done that ReplicaSets are asked for: those that are
 * not available go first, and what is still to go from earlier steps is not counted.
 */
const stays = (
  { after, family }: Step,
  from: number,
  availableOf: (replicaSet: ReplicaSet) => number
): { readonly known: number; readonly left: number } => {
  const others = family
    .filter(({ metadata }) => metadata.uid !== after.metadata.uid)
    .reduce((sum, it) => sum + Math.min(it.spec.replicas, availableOf(it)), 0)
  return {
    known: others + Math.min(from, availableOf(after)),
    left: others + Math.min(after.spec.replicas, availableOf(after))
  }
}

/** Whoever asks for another size has every ReplicaSet take its part, available or not. */
const isScaled = ({ deployment, before }: Step): boolean =>
  before !== undefined && countAnnotation(before, desiredAnnotation) !== deployment.spec.replicas

const hasOtherMax = ({ deployment, before }: Step): boolean =>
  before !== undefined && countAnnotation(before, maxAnnotation) !== promisesOf(deployment).podsMax

/**
 * Recreate begins with what is new once everything old has ended, also what is on its way out.
 *
 * Source: pkg/controller/deployment/recreate.go (oldPodsRunning).
 */
const judgeRecreate = (step: Step, from: number, to: number): Sums | undefined => {
  const { deployment, account, after, family } = step
  const { strategy, template } = deployment.spec
  if (strategy.type !== "Recreate" || to <= from || isScaled(step)) return undefined
  if (!isSameTemplate(after.spec.template, template)) return undefined
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
 * While a rollout is paused its ReplicaSets are shared out, and nothing else: none is made, none comes back beside
 * another, none grows beyond what the Deployment may have and none gives way to another.
 *
 * Source: pkg/controller/deployment/sync.go (scale).
 */
const judgePaused = (step: Step, from: number, to: number): Sums | undefined => {
  const { deployment, before, after, family } = step
  const { paused = false, replicas, template } = deployment.spec
  if (!paused || isScaled(step) || hasOtherMax(step)) return undefined
  const others = family.filter(({ metadata }) => metadata.uid !== after.metadata.uid)
  const beside = others.filter(({ spec }) => spec.replicas > 0)
  const asked = from + beside.reduce((sum, { spec }) => sum + spec.replicas, 0)
  const podsMax = promisesOf(deployment).podsMax ?? replicas
  const isSharedOut = to > from ? from > 0 && asked < podsMax : asked > podsMax
  const isOver = beside.some(
    ({ spec }) => isSameTemplate(spec.template, template) && spec.replicas === replicas
  )
  const isAlone = beside.length === 0 && to === replicas
  if (before !== undefined && (isSharedOut || isAlone || (to === 0 && isOver))) return undefined
  const besideText = beside.map(({ metadata, spec }) => `${metadata.name} ${spec.replicas}`).join(", ")
  return {
    rule: "paused",
    sums: `spec.paused is true; beside it ${besideText === "" ? "no other" : besideText}`,
    broken: `a paused rollout goes no further: ${after.metadata.name} ${from} = ${to}`
  }
}

/** A numbered account of one broken rule: when, who, what, the sums, and the line that does not hold. */
export const violationText = (violation: Violation, number: number): string => {
  const { atMillis, subject, who, what, sums, broken } = violation
  return joinLines([
    `[${number}] +${(atMillis / 1000).toFixed(3)}s  ${subject === "" ? "" : `${subject}: `}${who} ${what}`,
    `      ${sums}`,
    `      broken: ${broken}`
  ])
}

/** The same in a line, for somebody who sees the moment itself. */
export const violationTitle = ({ subject, who, what, broken }: Violation): string =>
  `${subject === "" ? "" : `${subject}: `}${who} ${what}; broken: ${broken}`
