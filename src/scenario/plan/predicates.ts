import { parseDuration } from "../../domain/durations.ts"
import { compares } from "../operators.ts"
import type { Operator } from "../operators.ts"
import type { Plan, RolloutPlan } from "./plan.ts"
import type { Parsed, TextProblem } from "../parsed.ts"

/** What must not be: `available<90%` fails a plan in which fewer than nine of ten were ever available. */
export interface Predicate {
  readonly text: string
  readonly measure: Measure
  readonly operator: Operator
  readonly value: number
  /** Of what is desired; of all seeds for `stuck`, and of all requests for `lost`. */
  readonly isPercent: boolean
}

type Measure = keyof typeof measures

/** What can be compared, and with what. */
const measures = {
  available: "a count or a percentage",
  pods: "a count or a percentage",
  lost: "a count or a percentage",
  stuck: "a count or a percentage",
  duration: "a duration",
  "duration.p50": "a duration",
  "duration.p95": "a duration"
} as const

const shape = /^(\s*)([a-z][a-z0-9.]*)(\s*)(<=|>=|!=|==|=|<|>)(\s*)(.*?)\s*$/

/** Reads predicates with commas between them. */
export const predicatesIn = (text: string): Parsed<ReadonlyArray<Predicate>> => {
  const problems: Array<TextProblem> = []
  const value: Array<Predicate> = []
  let column = 1
  for (const part of text.split(",")) {
    const read = predicateIn(part)
    if ("message" in read) problems.push({ column: column + read.column, message: read.message })
    else value.push(read)
    column += part.length + 1
  }
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems }
}

const predicateIn = (text: string): Predicate | TextProblem => {
  const match = shape.exec(text)
  if (match === null) {
    const message = `${JSON.stringify(text)} is no comparison: write something like available<90% or duration>5m`
    return { column: 0, message }
  }
  const [, before = "", measure = "", gap = "", operator = "", space = "", amount = ""] = match
  if (!isMeasure(measure)) {
    const message = `nothing is called ${JSON.stringify(measure)}: ${Object.keys(measures).join(", ")} can be compared`
    return { column: before.length, message }
  }
  const isDuration = measures[measure] === "a duration"
  const isPercent = !isDuration && amount.endsWith("%")
  const value = isDuration ? parseDuration(amount) : countIn(isPercent ? amount.slice(0, -1) : amount)
  if (value === undefined || value < 0) {
    const column = before.length + measure.length + gap.length + operator.length + space.length
    return {
      column,
      message: `${measure} is compared with ${measures[measure]}, not ${JSON.stringify(amount)}`
    }
  }
  const meant = operator === "==" ? "=" : operator
  return { text: text.trim(), measure, operator: meant as Operator, value, isPercent }
}

const isMeasure = (name: string): name is Measure => Object.hasOwn(measures, name)

const countIn = (text: string): number | undefined =>
  /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined

/** What a predicate is held against: of one Deployment, over all seeds. */
export interface Measured {
  readonly desired: number
  /** The fewest of any seed; undefined for a Deployment that is new and has none to lose. */
  readonly available: number | undefined
  /** The most of any seed. */
  readonly pods: number
  readonly stuck: number
  /** Of the seed that lost the most, Infinity where it goes on; undefined where nobody sends requests. */
  readonly lost: number | undefined
  readonly requests: number
  readonly seeds: number
  /** Infinity where it never ends; undefined where nothing was measured. */
  readonly durationMillis: { readonly p50: number; readonly p95: number; readonly worst: number } | undefined
}

/** A predicate that is true of a rollout, and what was measured. */
export interface TrippedPredicate {
  readonly predicate: Predicate
  readonly rollout: RolloutPlan
  readonly actual: number
  /** Of which a percentage is a part. */
  readonly whole: number
}

/** Everything that must not be, and is. */
export const trippedBy = (
  plan: Plan,
  predicates: ReadonlyArray<Predicate>
): ReadonlyArray<TrippedPredicate> =>
  plan.rollouts.flatMap((rollout) => {
    const { desired, duration, available, pods, requests, stuck, late } = rollout
    const measured: Measured = {
      desired,
      available: available?.fewest,
      pods: pods.most,
      lost: requests === undefined ? undefined : requests.lost + afterwards(plan, requests),
      requests: requests?.requests ?? 0,
      stuck: stuck + late,
      seeds: plan.seeds,
      durationMillis: duration ?? (stuck > 0 ? never : undefined)
    }
    return predicates.flatMap((predicate) => {
      const actual = tripped(predicate, measured)
      return actual === undefined
        ? []
        : [{ predicate, rollout, actual, whole: wholeOf(predicate.measure, measured) }]
    })
  })

/** What is sent to Services that find or reach none of the new Pods has no end, where anything is sent. */
const afterwards = ({ traffic }: Plan, { unfound }: NonNullable<RolloutPlan["requests"]>): number =>
  unfound.length > 0 && traffic.requestsPerSecond > 0 ? Infinity : 0

/** No seed came to an end. */
const never = { p50: Infinity, p95: Infinity, worst: Infinity }

/** What was measured, where the comparison is true; undefined where it is not, or there is nothing to compare. */
export const tripped = (predicate: Predicate, measured: Measured): number | undefined => {
  const actual = valueOf(predicate.measure, measured)
  if (actual === undefined) return undefined
  const limit = predicate.isPercent
    ? (predicate.value * wholeOf(predicate.measure, measured)) / 100
    : predicate.value
  return compares(actual, predicate.operator, limit) ? actual : undefined
}

/** What a percentage is a part of. */
const wholeOf = (measure: Measure, { seeds, requests, desired }: Measured): number =>
  measure === "stuck" ? seeds : measure === "lost" ? requests : desired

const valueOf = (measure: Measure, measured: Measured): number | undefined => {
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
