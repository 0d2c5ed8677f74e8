import { quoted } from "./fieldErrors.ts"

/**
 * Times as clients write them, read into the one form that is stored, or refused as Go refuses them.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/time.go and micro_time.go, Go's time/format.go.
 */
export interface TimeRead {
  /** Undefined for the zero time too: nobody has set it. */
  readonly time?: string
  readonly problem?: string
}

const timeShape = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:([.,]\d+))?(?:Z|([+-])(\d\d):(\d\d))$/

/** A time of whole seconds; its fraction is cut off. */
export const readTime = (text: string): TimeRead => {
  const parts = timeShape.exec(text)
  if (parts === null) return { problem: unparsed(text, "2006-01-02T15:04:05Z07:00", text, "2006") }
  return read(text, parts, "")
}

const secondsLength = "2006-01-02T15:04:05".length
const micros = /^\.\d{6}/
const microLayout = "2006-01-02T15:04:05.000000Z07:00"

/** A time that is written with six decimals, no more and no fewer. */
export const readMicroTime = (text: string): TimeRead => {
  const parts = timeShape.exec(text)
  if (parts === null) return { problem: unparsed(text, microLayout, text, "2006") }
  const rest = text.slice(secondsLength)
  const [fraction] = micros.exec(rest) ?? []
  if (fraction === undefined) return { problem: unparsed(text, microLayout, rest, ".000000") }
  if (fraction !== parts[7]) {
    return { problem: unparsed(text, microLayout, rest.slice(fraction.length), "Z07:00") }
  }
  return read(text, parts, fraction)
}

const unparsed = (text: string, layout: string, rest: string, element: string): string =>
  `parsing time ${quoted(text)} as ${quoted(layout)}: cannot parse ${quoted(rest)} as ${quoted(element)}`

const zeroMillis = Date.parse("0001-01-01T00:00:00Z")

const read = (text: string, parts: RegExpExecArray, fraction: string): TimeRead => {
  const wrong = outOfRange(parts)
  if (wrong !== undefined) return { problem: `parsing time ${quoted(text)}: ${wrong} out of range` }
  const [, , , , , , , , sign, hours = "0", minutes = "0"] = parts
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  const there = Date.parse(`${text.slice(0, secondsLength)}Z`)
  const millis = sign === "-" ? there + offset : there - offset
  if (millis === zeroMillis && Number(fraction) === 0) return {}
  return { time: `${new Date(millis).toISOString().slice(0, -".000Z".length)}${fraction}Z` }
}

/** What of a time no calendar or clock shows, in the order in which Go looks. */
const outOfRange = (parts: RegExpExecArray): string | undefined => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1).map(Number)
  if (month < 1 || month > 12) return "month"
  if (hour > 23) return "hour"
  if (minute > 59) return "minute"
  if (second > 59) return "second"
  // Some write an offset of a whole day or hour.
  if (Number(parts[9]) > 24) return "time zone offset hour"
  if (Number(parts[10]) > 60) return "time zone offset minute"
  return day < 1 || day > daysIn(year, month) ? "day" : undefined
}

const daysIn = (year: number, month: number): number => {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
