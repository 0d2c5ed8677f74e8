import { steady } from "../../behaviours/builtIn.ts"
import { parseDuration } from "../../domain/durations.ts"
import type { Behaviour, Delay } from "../../behaviours/behaviour.ts"
import type { Parsed, TextProblem } from "../parsed.ts"
import type { Traffic } from "../ledger/serviceTraffic.ts"

const delays = ["schedule", "start", "ready", "terminate"] as const

/** Everything that may be assumed: of Pods, and of those who send them requests. */
const names = [...delays, "pull", "crash", "requests", "propagation"]

/** What is assumed beside what is known. */
export interface Assumptions {
  /** Undefined where nothing is assumed of Pods and nothing was known. */
  readonly behaviour: Behaviour | undefined
  readonly traffic: Partial<Traffic>
}

/** How long after its start a container that crashes by chance is looked at: the chance is that of so much time. */
const crashWindowMillis = 60_000

/**
 * Reads `start=20s,ready=5s..40s,crash=1%,requests=200/s`: what is not said of Pods is as in `basis`. A delay is one
 * duration, or a range of which each is as likely as any other. `crash` is the chance that a container ends with an
 * error within any one minute that it runs. `requests` come to every Service, and `propagation` is how long it takes
 * until clients have heard of a change of its endpoints.
 */
export const assumed = (text: string, basis?: Behaviour): Parsed<Assumptions> => {
  const problems: Array<TextProblem> = []
  const given = new Map<string, Delay | number>()
  const traffic: { -readonly [Name in keyof Traffic]?: number } = {}
  const seen = new Set<string>()
  let column = 1
  for (const part of text.split(",")) {
    const at = part.indexOf("=")
    const name = part.slice(0, Math.max(0, at)).trim()
    const value = part.slice(at + 1).trim()
    const wrong = (message: string, offset = 0): void =>
      void problems.push({ column: column + offset, message })
    if (at === -1) wrong(`${JSON.stringify(part)} is no assumption: write NAME=VALUE, such as ready=5s..40s`)
    else if (!names.includes(name))
      wrong(`nothing is called ${JSON.stringify(name)}: ${names.join(", ")} can be assumed`)
    else if (seen.has(name)) wrong(`${name} is given twice`)
    else if (name === "requests" || name === "propagation") {
      const read = name === "requests" ? rateIn(value) : spanIn(value)
      if (typeof read === "object") wrong(read.wrong, at + 1)
      else if (name === "requests") traffic.requestsPerSecond = read
      else traffic.propagationMillis = read
    } else {
      const read = name === "crash" ? chanceIn(value) : delayIn(value)
      if (typeof read === "object" && "wrong" in read) wrong(read.wrong, at + 1)
      else given.set(name, read)
    }
    seen.add(name)
    column += part.length + 1
  }
  if (problems.length > 0) return { ok: false, problems }
  if (given.size === 0) return { ok: true, value: { behaviour: basis, traffic } }
  const crash = given.get("crash")
  const pull = given.get("pull")
  const known: Behaviour = basis ?? steady
  return {
    ok: true,
    value: {
      traffic,
      behaviour: {
        ...known,
        name: "assumed",
        ...Object.fromEntries(delays.flatMap((name) => (given.has(name) ? [[name, given.get(name)]] : []))),
        ...(typeof pull === "number" || pull === undefined ? {} : { pull: { ...known.pull, delay: pull } }),
        ...(typeof crash === "number" && crash > 0 ? { exit: { after: meanOf(crash), code: 1 } } : {})
      }
    }
  }
}

/** A constant risk: times between crashes are exponential, with the mean that makes the chance of one window so. */
const meanOf = (chance: number): Delay => {
  const mean = -crashWindowMillis / Math.log(1 - chance)
  return { exponential: { mean: `${Math.max(1, Math.round(mean))}ms` } }
}

const secondsOf = { s: 1, m: 60, h: 3600 } as const

/** `200/s`, `12000/m`, and `200` for so many a second. */
const rateIn = (text: string): number | { readonly wrong: string } => {
  const [, count = "", unit = "s"] = /^(\d+(?:\.\d+)?)(?:\/(s|m|h))?$/.exec(text) ?? []
  const rate = count === "" ? Number.NaN : Number(count) / secondsOf[unit as keyof typeof secondsOf]
  return Number.isFinite(rate) ? rate : { wrong: `${JSON.stringify(text)} is no rate such as 200/s` }
}

const spanIn = (text: string): number | { readonly wrong: string } => {
  const millis = parseDuration(text)
  return millis !== undefined && millis >= 0
    ? Math.round(millis)
    : { wrong: `${JSON.stringify(text)} is no duration such as 1s` }
}

const chanceIn = (text: string): number | { readonly wrong: string } => {
  const percent = /^\d+(?:\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : Number.NaN
  return percent >= 0 && percent < 100
    ? percent / 100
    : { wrong: `${JSON.stringify(text)} is no chance from 0% to below 100%` }
}

const delayIn = (text: string): Delay | { readonly wrong: string } => {
  const [from = "", to = from, ...others] = text.split("..").map((part) => part.trim())
  const [least, longest] = [parseDuration(from), parseDuration(to)]
  if (least === undefined || longest === undefined || least < 0 || others.length > 0)
    return { wrong: `${JSON.stringify(text)} is no duration such as 20s, and no range such as 5s..40s` }
  if (longest < least) return { wrong: `the range ${text} goes backwards` }
  return least === longest ? from : { uniform: [from, to] }
}
