import { parseDuration } from "../kubernetes/meta/amounts/durations.ts"
import { compareNumbers } from "../scenario/conditions/operators.ts"
import { workloadIdOf } from "./workloads.ts"
import type { WorkloadId } from "./workloads.ts"
import type { ComparisonOperator } from "../scenario/conditions/operators.ts"
import type { Plan, RolloutPlan } from "./summarizePlan.ts"
import type { ParseResult, TextProblem } from "../scenario/parseResult.ts"

/** A condition that fails a plan: `available<90%`. */
export interface Predicate {
  readonly text: string
  readonly measure: Measure
  readonly operator: ComparisonOperator
  /** A count, a percentage (`isPercent`), or milliseconds. */
  readonly value: number
  /** Whether `value` is a percentage: of all seeds for `stuck`, of all requests for `lost`, else of desired Pods. */
  readonly isPercent: boolean
  /** The workloads that it applies to; all if left out. */
  readonly workloads?: ReadonlySet<WorkloadId>
}

type Measure = keyof typeof measures

/** What each measure is compared with. */
const measures = {
  available: "a count or a percentage",
  pods: "a count or a percentage",
  lost: "a count or a percentage",
  stuck: "a count or a percentage",
  duration: "a duration",
  "duration.p50": "a duration",
  "duration.p95": "a duration"
} as const

const comparisonPattern = /^(\s*)([a-z][a-z0-9.]*)(\s*)(<=|>=|!=|==|=|<|>)(\s*)(.*?)\s*$/

export const parsePredicates = (text: string): ParseResult<ReadonlyArray<Predicate>> => {
  const problems: Array<TextProblem> = []
  const value: Array<Predicate> = []
  let column = 1
  for (const part of text.split(",")) {
    const parsed = parsePredicate(part)
    if ("message" in parsed) problems.push({ column: column + parsed.column, message: parsed.message })
    else value.push(parsed)
    column += part.length + 1
  }
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems }
}

/** The column of a problem counts from 0 at the beginning of this text. */
const parsePredicate = (text: string): Predicate | TextProblem => {
  const match = comparisonPattern.exec(text)
  if (match === null) {
    const message = `${JSON.stringify(text)} is no comparison: write something like available<90% or duration>5m`
    return { column: 0, message }
  }
  const [, indent = "", measure = "", gapBefore = "", operator = "", gapAfter = "", amount = ""] = match
  if (!isMeasure(measure)) {
    const message = `nothing is called ${JSON.stringify(measure)}: ${Object.keys(measures).join(", ")} can be compared`
    return { column: indent.length, message }
  }
  const isDuration = measures[measure] === "a duration"
  const isPercent = !isDuration && amount.endsWith("%")
  const value = isDuration ? parseDuration(amount) : parseCount(isPercent ? amount.slice(0, -1) : amount)
  if (value === undefined || value < 0) {
    const column = indent.length + measure.length + gapBefore.length + operator.length + gapAfter.length
    return {
      column,
      message: `${measure} is compared with ${measures[measure]}, not ${JSON.stringify(amount)}`
    }
  }
  const normalized = operator === "==" ? "=" : operator
  return { text: text.trim(), measure, operator: normalized as ComparisonOperator, value, isPercent }
}

const isMeasure = (name: string): name is Measure => Object.hasOwn(measures, name)

const parseCount = (text: string): number | undefined =>
  /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined

/** One rollout over all seeds. */
export interface RolloutMeasures {
  readonly desired: number
  /** The fewest available Pods of any seed; undefined for a new workload, which begins with none. */
  readonly available: number | undefined
  /** The most Pods at once of any seed. */
  readonly pods: number
  /** The number of seeds that never complete, or only after the deadline. */
  readonly stuck: number
  /** The most lost requests of any seed, Infinity if a Service loses them for ever; undefined if none are sent. */
  readonly lost: number | undefined
  /** How many requests clients sent in the seed of `lost`. */
  readonly requests: number
  readonly seeds: number
  /** Infinity if no seed is ever complete; undefined if no seed has played the rollout. */
  readonly durationMillis: { readonly p50: number; readonly p95: number; readonly worst: number } | undefined
}

export interface TruePredicate {
  readonly predicate: Predicate
  readonly rollout: RolloutPlan
  /** The measured count, or milliseconds. */
  readonly actual: number
  /** The number of desired Pods, seeds or requests, of which `actual` is a part. */
  readonly total: number
}

export const findTruePredicates = (
  plan: Plan,
  predicates: ReadonlyArray<Predicate>
): ReadonlyArray<TruePredicate> =>
  plan.rollouts.flatMap((rollout) => {
    const { desired, duration, available, pods, requests, stuck, late } = rollout
    const measured: RolloutMeasures = {
      desired,
      available: available?.fewest,
      pods: pods.most,
      lost: requests === undefined ? undefined : requests.lost + lostForEver(plan, requests),
      requests: requests?.requests ?? 0,
      stuck: stuck + late,
      seeds: plan.seeds,
      durationMillis: duration ?? (stuck > 0 ? endlessDuration : undefined)
    }
    return predicatesFor(rollout, predicates).flatMap((predicate) => {
      const actual = failingValue(predicate, measured)
      return actual === undefined
        ? []
        : [{ predicate, rollout, actual, total: totalOf(predicate.measure, measured) }]
    })
  })

export const predicatesFor = (
  rollout: Pick<RolloutPlan, "kind" | "namespace" | "name">,
  predicates: ReadonlyArray<Predicate>
): ReadonlyArray<Predicate> =>
  predicates.filter(({ workloads }) => workloads?.has(workloadIdOf(rollout)) ?? true)

export const hasPredicateOn = (measure: Measure, predicates: ReadonlyArray<Predicate>): boolean =>
  predicates.some((predicate) => predicate.measure === measure)

/** Infinity if a Service reaches no new Pod, so that it loses all later requests; else 0. */
const lostForEver = ({ traffic }: Plan, { unfound }: NonNullable<RolloutPlan["requests"]>): number =>
  unfound.length > 0 && traffic.requestsPerSecond > 0 ? Infinity : 0

const endlessDuration = { p50: Infinity, p95: Infinity, worst: Infinity }

/** The measured value if the condition holds, else undefined. */
export const failingValue = (predicate: Predicate, measured: RolloutMeasures): number | undefined => {
  const actual = valueOf(predicate.measure, measured)
  if (actual === undefined) return undefined
  const threshold = predicate.isPercent
    ? (predicate.value * totalOf(predicate.measure, measured)) / 100
    : predicate.value
  return compareNumbers(actual, predicate.operator, threshold) ? actual : undefined
}

const totalOf = (measure: Measure, { seeds, requests, desired }: RolloutMeasures): number =>
  measure === "stuck" ? seeds : measure === "lost" ? requests : desired

const valueOf = (measure: Measure, measured: RolloutMeasures): number | undefined => {
  switch (measure) {
    case "available":
    case "pods":
    case "lost":
    case "stuck":
      return measured[measure]
    case "duration":
      return measured.durationMillis?.worst
    case "duration.p50":
      return measured.durationMillis?.p50
    case "duration.p95":
      return measured.durationMillis?.p95
  }
}
