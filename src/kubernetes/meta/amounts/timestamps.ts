import { memoizeUpTo } from "../text/memoizeUpTo.ts"

/** Timestamps have whole seconds, so durations between them are inexact by up to a second. */

/** As `toISOString`, but without the sign and zeros of years beyond 9999. Source: Go's time.Time.AppendFormat. */
export const goIsoText = (millis: number): string =>
  new Date(millis).toISOString().replace(/^\+0*/, "").replace(/^-00/, "-")

let lastSecond = Number.NaN
let lastText = ""

export const timestampOf = (millis: number): string => {
  const second = Math.floor(millis / 1000)
  if (second !== lastSecond) {
    // Thousands of objects share the text of one second.
    lastSecond = second
    const day = Math.floor(second / daySeconds)
    lastText = `${dateText(day)}T${timeText(second - day * daySeconds)}Z`
  }
  return lastText
}

const daySeconds = 86_400
let lastDay = Number.NaN
let lastDateText = ""

/** The text of a day is cached, since formatting a Date is slow. */
const dateText = (day: number): string => {
  if (day !== lastDay) {
    const [text = ""] = goIsoText(day * daySeconds * 1000).split("T")
    lastDay = day
    lastDateText = text
  }
  return lastDateText
}

const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"))

const timeText = (second: number): string => {
  const minute = Math.floor(second / 60)
  const hour = Math.floor(minute / 60)
  return `${twoDigits[hour]}:${twoDigits[minute - hour * 60]}:${twoDigits[second - minute * 60]}`
}

/**
 * NaN for an invalid timestamp, and for null: Kubernetes' unknown time. Memoized, since parsing is slow and few
 * distinct seconds occur.
 */
export const timestampMillis = memoizeUpTo(4096, (timestamp: string | null): number =>
  Date.parse(
    (timestamp ?? "")
      .replace(/^\d{5,6}(?=-)/, (year) => `+${year.padStart(6, "0")}`)
      .replace(/^-(?=\d{4}-)/, "-00")
  )
)

export const earliestOf = (times: ReadonlyArray<number | undefined>): number | undefined => {
  const known = times.filter((it) => it !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

export const floorToSecond = (millis: number): number => Math.floor(millis / 1000) * 1000

const rfc3339 = /^(\d{4}-\d\d-\d\d)[Tt](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

export const isRfc3339 = (text: string): boolean => !Number.isNaN(parseRfc3339(text))

/** NaN for text in another form, and for 30 February, which `Date.parse` takes for 2 March. */
const parseRfc3339 = (text: string): number => {
  const [, date = ""] = rfc3339.exec(text) ?? []
  const dayMillis = Date.parse(date)
  if (Number.isNaN(dayMillis) || new Date(dayMillis).toISOString().slice(0, date.length) !== date)
    return Number.NaN
  return Date.parse(text)
}

/** Unlike `instanceof`, also recognizes a Date of another realm. */
const isDate = (time: Date): boolean => Object.prototype.toString.call(time) === "[object Date]"

const numericMillis = (time: Date | number): number =>
  typeof time === "number" || isDate(time) ? new Date(time).getTime() : Number.NaN

/** Throws a `TypeError` for a value that is no time. */
export const toTimeMillis = (time: Date | string | number): number => {
  const millis = typeof time === "string" ? parseRfc3339(time) : numericMillis(time)
  if (!Number.isNaN(millis)) return millis
  const given = typeof time === "string" ? JSON.stringify(time) : String(time)
  throw new TypeError(
    `time must be a Date, RFC 3339 text such as "2026-01-01T00:00:00Z", or Unix milliseconds, not ${given}`
  )
}
