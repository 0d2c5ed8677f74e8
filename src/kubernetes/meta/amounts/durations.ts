import { goTimeQuote } from "../text/goQuote.ts"

/** Source: Go's `time/format.go` (ParseDuration). */

const nanosByUnit: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1_000,
  "\u00b5s": 1_000,
  "\u03bcs": 1_000,
  ms: 1_000_000,
  s: 1_000_000_000,
  m: 60_000_000_000,
  h: 3_600_000_000_000
}

const signPattern = "[+-]?"
const amountPattern = String.raw`(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)`
const unitPattern = "(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)"

export const durationPattern = String.raw`^\+?(?:0|(?:${amountPattern}${unitPattern})+)$`

const durationShape = new RegExp(`^${signPattern}(?:0|(?:${amountPattern}${unitPattern})+)$`, "u")
const amountsWithUnit = new RegExp(`([0-9]*)(?:\\.([0-9]*))?(${unitPattern})`, "gu")

/** Go keeps a duration as a 64-bit count of nanoseconds. */
const nanosMax = 2 ** 63

/** More digits exceed the precision of a number. */
const fractionDigitsMax = 15

/** Returns milliseconds; undefined for invalid text. */
export const parseDuration = (text: string): number | undefined => {
  if (!durationShape.test(text)) return undefined
  let nanos = 0
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(amountsWithUnit)) {
    const nanosPerUnit = nanosByUnit[unit] ?? 0
    // Go cuts below a nanosecond too. Counting in nanoseconds keeps 1.005s at exactly 1005 ms.
    const digits = fraction.slice(0, fractionDigitsMax)
    const nanosOfFraction = Math.trunc((Number(digits) * nanosPerUnit) / 10 ** digits.length)
    nanos += Number(whole) * nanosPerUnit + nanosOfFraction
  }
  if (nanos >= nanosMax) return undefined
  return text.startsWith("-") && nanos > 0 ? -nanos / 1_000_000 : nanos / 1_000_000
}

export const durationTextProblem = (text: string): string => {
  const given = goTimeQuote(text)
  const invalid = `time: invalid duration ${given}`
  let rest = text.replace(/^[-+]/, "")
  if (rest === "") return invalid
  while (rest !== "") {
    const number = /^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)/.exec(rest)?.[0]
    if (number === undefined) return invalid
    const unitText = /^[^.0-9]*/.exec(rest.slice(number.length))?.[0] ?? ""
    if (unitText === "") return `time: missing unit in duration ${given}`
    if (!Object.hasOwn(nanosByUnit, unitText))
      return `time: unknown unit ${goTimeQuote(unitText)} in duration ${given}`
    rest = rest.slice(number.length + unitText.length)
  }
  return invalid
}

/** Throws a `TypeError` for an invalid or negative duration. `name`: the duration's name in the error. */
export const toDurationMillis = (duration: number | string, name = "it"): number => {
  const millis = typeof duration === "string" ? parseDuration(duration) : duration
  if (typeof millis === "number" && Number.isFinite(millis) && millis >= 0) return millis
  const given = typeof duration === "number" ? String(duration) : JSON.stringify(duration)
  throw new TypeError(
    `${name} must be a duration such as "250ms", "1.5s" or "1h30m", or milliseconds, not ${given}`
  )
}

/** The shortest text in Go's notation, rounded to microseconds. */
export const formatDuration = (millis: number): string => {
  const micros = Math.round(Math.abs(millis) * 1000)
  const sign = millis < 0 && micros > 0 ? "-" : ""
  if (micros < 1_000_000) return micros === 0 ? "0s" : `${sign}${micros / 1000}ms`
  const seconds = (micros % 60_000_000) / 1_000_000
  const minutes = Math.floor(micros / 60_000_000)
  const parts = [
    [Math.floor(minutes / 60), "h"],
    [minutes % 60, "m"],
    [seconds, "s"]
  ] as const
  return sign + parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count}${unit}`])).join("")
}

/** A text for people: one decimal below ten seconds, whole seconds above. */
export const roughDuration = (millis: number): string => {
  if (millis < 1000) return formatDuration(Math.ceil(millis))
  const unit = millis < 10_000 ? 100 : 1000
  return formatDuration(Math.round(millis / unit) * unit)
}
