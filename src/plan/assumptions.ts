import { steady } from "../behaviours/builtInBehaviours.ts"
import { parseDuration } from "../kubernetes/meta/amounts/durations.ts"
import type { Behaviour, Delay } from "../behaviours/behaviour.ts"
import type { ParseResult, TextProblem } from "../scenario/parseResult.ts"
import type { Mutable } from "../kubernetes/meta/fields.ts"
import type { TrafficOptions } from "../scenario/ledger/services/serviceTraffic.ts"

const delayNames = ["schedule", "start", "ready", "terminate"] as const

const assumptionNames = [...delayNames, "pull", "crash", "requests", "propagation"]

/** The name of the behaviour that `parseAssumptions` returns for a text about Pods. */
export const assumedBehaviourName = "assumed"

/** The behaviour of Pods and the traffic of clients that `--assume` describes. */
export interface Assumptions {
  /** Undefined if the text says nothing about Pods, and there is no default behaviour. */
  readonly behaviour: Behaviour | undefined
  readonly traffic: Partial<TrafficOptions>
}

/** `crash=1%` is the chance that a container exits with an error within this time. */
const crashChancePeriodMillis = 60_000

/**
 * Parses `start=20s,ready=5s..40s,crash=1%,requests=200/s`. `defaultBehaviour` decides what the text leaves out.
 * `requests`: the rate for each Service. `propagation`: the time until clients see a change of endpoints.
 */
export const parseAssumptions = (text: string, defaultBehaviour?: Behaviour): ParseResult<Assumptions> => {
  const problems: Array<TextProblem> = []
  const values = new Map<string, Delay | number>()
  const traffic: Partial<Mutable<TrafficOptions>> = {}
  const givenNames = new Set<string>()
  let column = 1
  for (const part of text.split(",")) {
    const equalsIndex = part.indexOf("=")
    const name = part.slice(0, Math.max(0, equalsIndex)).trim()
    const value = part.slice(equalsIndex + 1).trim()
    const addProblem = (message: string, offset = 0): void =>
      void problems.push({ column: column + offset, message })
    if (equalsIndex === -1)
      addProblem(`${JSON.stringify(part)} is no assumption: write NAME=VALUE, such as ready=5s..40s`)
    else if (!assumptionNames.includes(name))
      addProblem(`nothing is called ${JSON.stringify(name)}: ${assumptionNames.join(", ")} can be assumed`)
    else if (givenNames.has(name)) addProblem(`${name} is given twice`)
    else if (name === "requests" || name === "propagation") {
      const amount = name === "requests" ? parseRate(value) : parseMillis(value)
      if (typeof amount === "object") addProblem(amount.problem, equalsIndex + 1)
      else if (name === "requests") traffic.requestsPerSecond = amount
      else traffic.propagationMillis = amount
    } else {
      const amount = name === "crash" ? parseChance(value) : parseDelay(value)
      if (typeof amount === "object" && "problem" in amount) addProblem(amount.problem, equalsIndex + 1)
      else values.set(name, amount)
    }
    givenNames.add(name)
    column += part.length + 1
  }
  if (problems.length > 0) return { ok: false, problems }
  if (values.size === 0) return { ok: true, value: { behaviour: defaultBehaviour, traffic } }
  const crash = values.get("crash")
  const pull = values.get("pull")
  const base: Behaviour = defaultBehaviour ?? steady
  return {
    ok: true,
    value: {
      traffic,
      behaviour: {
        ...base,
        name: assumedBehaviourName,
        ...Object.fromEntries(
          delayNames.flatMap((name) => (values.has(name) ? [[name, values.get(name)]] : []))
        ),
        ...(typeof pull === "number" || pull === undefined ? {} : { pull: { ...base.pull, delay: pull } }),
        ...(typeof crash === "number" && crash > 0 ? { exit: { after: crashDelay(crash), code: 1 } } : {})
      }
    }
  }
}

/**
 * `chance`: of a crash within each minute, from 0 to below 1. An exponential distribution has the same chance in every
 * minute.
 */
const crashDelay = (chance: number): Delay => {
  const mean = -crashChancePeriodMillis / Math.log(1 - chance)
  return { exponential: { mean: `${Math.max(1, Math.round(mean))}ms` } }
}

const secondsByUnit = { s: 1, m: 60, h: 3600 } as const

/** Requests per second, from `200/s`, `12000/m` or `200`. */
const parseRate = (text: string): number | { readonly problem: string } => {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)(?:\/(s|m|h))?$/.exec(text) ?? []
  const rate = count === "" ? Number.NaN : Number(count) / secondsByUnit[unit as keyof typeof secondsByUnit]
  return Number.isFinite(rate) ? rate : { problem: `${JSON.stringify(text)} is no rate such as 200/s` }
}

const parseMillis = (text: string): number | { readonly problem: string } => {
  const millis = parseDuration(text)
  return millis !== undefined && millis >= 0
    ? Math.round(millis)
    : { problem: `${JSON.stringify(text)} is no duration such as 1s` }
}

const parseChance = (text: string): number | { readonly problem: string } => {
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN
  return percent >= 0 && percent < 100
    ? percent / 100
    : { problem: `${JSON.stringify(text)} is no chance from 0% to below 100%` }
}

/** A duration, or a range with uniform distribution: `20s`, `5s..40s`. */
export const parseDelay = (text: string): Delay | { readonly problem: string } => {
  const [from = "", to = from, ...furtherParts] = text.split("..").map((part) => part.trim())
  const [least, longest] = [parseDuration(from), parseDuration(to)]
  if (least === undefined || longest === undefined || least < 0 || furtherParts.length > 0)
    return { problem: `${JSON.stringify(text)} is no duration such as 20s, and no range such as 5s..40s` }
  if (longest < least) return { problem: `the range ${text} goes backwards` }
  return least === longest ? from : { uniform: [from, to] }
}
