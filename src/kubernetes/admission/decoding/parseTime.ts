import { quote } from "../../validation/fieldErrors.ts"

/**
 * Parses times into the stored form, with Go's errors.
 * Source: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/time.go and micro_time.go, Go's time/format.go.
 */
export interface ParsedTime {
  /** Undefined for a problem and for the zero time, which counts as missing. */
  readonly time?: string
  readonly problem?: string
}

const timeShape = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:([.,]\d+))?(?:Z|([+-])(\d\d):(\d\d))$/

export const parseTime = (text: string): ParsedTime => {
  const parts = timeShape.exec(text)
  if (parts === null) return { problem: parseProblem(text, "2006-01-02T15:04:05Z07:00", text, "2006") }
  return normalize(text, parts, "")
}

const secondsLength = "2006-01-02T15:04:05".length
const micros = /^\.\d{6}/
const microLayout = "2006-01-02T15:04:05.000000Z07:00"

export const parseMicroTime = (text: string): ParsedTime => {
  const parts = timeShape.exec(text)
  if (parts === null) return { problem: parseProblem(text, microLayout, text, "2006") }
  const rest = text.slice(secondsLength)
  const [fraction] = micros.exec(rest) ?? []
  if (fraction === undefined) return { problem: parseProblem(text, microLayout, rest, ".000000") }
  if (fraction !== parts[7]) {
    return { problem: parseProblem(text, microLayout, rest.slice(fraction.length), "Z07:00") }
  }
  return normalize(text, parts, fraction)
}

/** Go's message: `rest` is the part of the text that does not fit the `element` of the layout. */
const parseProblem = (text: string, layout: string, rest: string, element: string): string =>
  `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(element)}`

const zeroMillis = Date.parse("0001-01-01T00:00:00Z")

const normalize = (text: string, parts: RegExpExecArray, fraction: string): ParsedTime => {
  const invalidPart = outOfRange(parts)
  if (invalidPart !== undefined)
    return { problem: `parsing time ${quote(text)}: ${invalidPart} out of range` }
  const [, , , , , , , , sign, hours = "0", minutes = "0"] = parts
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  const localMillis = Date.parse(`${text.slice(0, secondsLength)}Z`)
  const millis = sign === "-" ? localMillis + offset : localMillis - offset
  if (millis === zeroMillis && Number(fraction) === 0) return {}
  return { time: `${new Date(millis).toISOString().slice(0, -".000Z".length)}${fraction}Z` }
}

const outOfRange = (parts: RegExpExecArray): string | undefined => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number)
  if (month < 1 || month > 12) return "month"
  if (hour > 23) return "hour"
  if (minute > 59) return "minute"
  if (second > 59) return "second"
  // Go accepts an offset of 24 hours or 60 minutes.
  if (Number(parts[9]) > 24) return "time zone offset hour"
  if (Number(parts[10]) > 60) return "time zone offset minute"
  return day < 1 || day > daysIn(year, month) ? "day" : undefined
}

const daysIn = (year: number, month: number): number => {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
