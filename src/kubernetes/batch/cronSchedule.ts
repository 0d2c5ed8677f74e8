import { durationTextProblem, parseDuration } from "../meta/amounts/durations.ts"
import { integerProblem, parseInteger } from "../meta/amounts/integer.ts"

/**
 * A schedule is five fields, `@hourly` or `@every 90m`, possibly after a time zone. Source:
 * github.com/robfig/cron v3 (parser.go, spec.go).
 */
export type CronSchedule = CronFields | CronInterval

export interface CronFields {
  readonly minutes: CronField
  readonly hours: CronField
  readonly daysOfMonth: CronField
  readonly months: CronField
  /** Sunday is 0. */
  readonly daysOfWeek: CronField
}

/**
 * `isEvery`: the field is `*` or `?` without a step. If neither daysOfMonth nor daysOfWeek is
 * `isEvery`, a day that one of them names is due.
 */
export interface CronField {
  readonly values: ReadonlySet<number>
  readonly isEvery: boolean
}

export interface CronInterval {
  readonly everyMillis: number
}

/** A problem has the message of upstream's cron library. */
export type ParsedCron =
  | { readonly ok: true; readonly schedule: CronSchedule }
  | { readonly ok: false; readonly problem: string }

export const parseCronSchedule = (text: string): ParsedCron => {
  if (text === "") return refusal("empty spec string")
  const zoned = /^(?:CRON_)?TZ=/.exec(text)
  if (zoned === null) return parseWithoutZone(text)
  const space = text.indexOf(" ")
  // Upstream's parser panics here, and the API server reports the panic.
  if (space < 0) return refusal("invalid schedule format: runtime error: slice bounds out of range [:-1]")
  const zone = text.slice(zoned[0].length, space)
  const problem = timeZoneProblem(zone)
  return problem === undefined
    ? parseWithoutZone(text.slice(space).trim())
    : refusal(`provided bad location ${zone}: ${problem}`)
}

const parseWithoutZone = (text: string): ParsedCron => {
  if (text.startsWith("@")) return parseDescriptor(text)
  const words = text.split(/\s+/u).filter((word) => word !== "")
  if (words.length !== 5)
    return refusal(`expected exactly 5 fields, found ${words.length}: [${words.join(" ")}]`)
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = words
  return toResult(() => ({
    minutes: parseField(minute, bounds.minutes),
    hours: parseField(hour, bounds.hours),
    daysOfMonth: parseField(dayOfMonth, bounds.daysOfMonth),
    months: parseField(month, bounds.months),
    daysOfWeek: parseField(dayOfWeek, bounds.daysOfWeek)
  }))
}

const refusal = (problem: string): ParsedCron => ({ ok: false, problem })

class CronProblem extends Error {}

const toResult = (parse: () => CronSchedule): ParsedCron => {
  try {
    return { ok: true, schedule: parse() }
  } catch (error) {
    if (error instanceof CronProblem) return refusal(error.message)
    throw error
  }
}

/** `names` are in the order of their values. */
interface Bounds {
  readonly min: number
  readonly max: number
  readonly names: ReadonlyArray<string>
}

const bounds = {
  minutes: { min: 0, max: 59, names: [] },
  hours: { min: 0, max: 23, names: [] },
  daysOfMonth: { min: 1, max: 31, names: [] },
  months: {
    min: 1,
    max: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  },
  daysOfWeek: { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] }
} satisfies Record<keyof CronFields, Bounds>

const parseField = (text: string, limits: Bounds): CronField => {
  const values = new Set<number>()
  let isEvery = false
  for (const expression of text.split(",").filter((part) => part !== "")) {
    const range = parseRange(expression, limits)
    for (let value = range.start; value <= range.end; value += range.step) values.add(value)
    isEvery ||= range.isEvery
  }
  return { values, isEvery }
}

interface Range {
  readonly start: number
  readonly end: number
  readonly step: number
  readonly isEvery: boolean
}

/** With a step, `5` stands for `5-max`. */
const parseRange = (expression: string, limits: Bounds): Range => {
  const [span = "", stepText, ...moreSteps] = expression.split("/")
  const [low = "", high, ...moreHyphens] = span.split("-")
  const isEvery = low === "*" || low === "?"
  const start = isEvery ? limits.min : parseValue(low, limits)
  if (!isEvery && moreHyphens.length > 0) throw new CronProblem(`too many hyphens: ${expression}`)
  const end = isEvery ? limits.max : high === undefined ? start : parseValue(high, limits)
  if (moreSteps.length > 0) throw new CronProblem(`too many slashes: ${expression}`)
  const step = stepText === undefined ? 1 : parseNumber(stepText)
  const isOpen = stepText !== undefined && high === undefined
  const range = { start, end: isOpen ? limits.max : end, step, isEvery: isEvery && step <= 1 }
  const problem = rangeProblem(range, limits)
  if (problem !== undefined) throw new CronProblem(`${problem}: ${expression}`)
  return range
}

const rangeProblem = ({ start, end, step }: Range, { min, max }: Bounds): string | undefined => {
  if (start < min) return `beginning of range (${start}) below minimum (${min})`
  if (end > max) return `end of range (${end}) above maximum (${max})`
  if (start > end) return `beginning of range (${start}) beyond end of range (${end})`
  return step === 0 ? "step of range should be a positive number" : undefined
}

const parseValue = (text: string, { min, names }: Bounds): number => {
  const named = names.indexOf(text.toLowerCase())
  return named < 0 ? parseNumber(text) : named + min
}

const parseNumber = (text: string): number => {
  const value = parseInteger(text)
  if (value === undefined) throw new CronProblem(`failed to parse int from ${text}: ${integerProblem(text)}`)
  if (value < 0) throw new CronProblem(`negative number (${value}) not allowed: ${text}`)
  return value
}

const fieldsByDescriptor: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"]
])

const everyPrefix = "@every "

const parseDescriptor = (text: string): ParsedCron => {
  const fields = fieldsByDescriptor.get(text)
  if (fields !== undefined) return parseWithoutZone(fields)
  if (!text.startsWith(everyPrefix)) return refusal(`unrecognized descriptor: ${text}`)
  const duration = text.slice(everyPrefix.length)
  const millis = parseDuration(duration)
  if (millis === undefined)
    return refusal(`failed to parse duration ${text}: ${durationTextProblem(duration)}`)
  // As in Kubernetes, an interval is whole seconds, at least one.
  return { ok: true, schedule: { everyMillis: Math.max(1000, Math.floor(millis / 1000) * 1000) } }
}

/** Undefined for a known time zone. Source: `time.LoadLocation` of Go. */
export const timeZoneProblem = (name: string): string | undefined => {
  // UTC needs no costly DateTimeFormat.
  if (name === "" || name === "UTC" || name === "Local") return undefined
  if (name.includes("..") || /^[/\\]/.test(name)) return "time: invalid location name"
  return isKnownZone(name) ? undefined : `unknown time zone ${name}`
}

const isKnownZone = (name: string): boolean => {
  // Only JavaScript accepts offsets as zones.
  if (/^[-+]/.test(name)) return false
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions()
    // JavaScript ignores case and returns the canonical name; Go needs the right case. Another name
    // means an alias.
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase()
  } catch {
    return false
  }
}
