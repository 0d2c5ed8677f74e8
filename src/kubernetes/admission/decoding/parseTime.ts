import { goIsoText } from "../../meta/amounts/timestamps.ts"
import { goTimeQuote } from "../../meta/text/goQuote.ts"

/** Source: apimachinery/pkg/apis/meta/v1 (time.go, micro_time.go), Go's time/format.go. */
export interface ParsedTime {
  /** Undefined for a problem and for the zero time. */
  readonly time?: string
  readonly problem?: string
}

const timeShape = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))$/
const microTimeShape =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)[.,](?<micros>\d{6})(?:Z|([+-])(\d\d):(\d\d))$/

export const parseTime = (text: string): ParsedTime => {
  const parts = timeShape.exec(text)
  if (parts === null) return { problem: layoutProblem(text, secondLayout) }
  const [, year, month, day, hour, minute, second, ...zone] = parts
  return toUtcTime(text, [year, month, day, hour, minute, second], zone, "")
}

export const parseMicroTime = (text: string): ParsedTime => {
  const parts = microTimeShape.exec(text)
  if (parts === null) return { problem: layoutProblem(text, microLayout) }
  const [, year, month, day, hour, minute, second, micros, ...zone] = parts
  return toUtcTime(text, [year, month, day, hour, minute, second], zone, `.${micros}`)
}

/** An element of a Go layout, its pattern, and the parts of the time in it. */
interface LayoutElement {
  readonly element: string
  readonly shape: RegExp
  readonly parts?: ReadonlyArray<TimePart>
}

interface TimePart {
  readonly name: string
  readonly min: number
  readonly max: number
}

const monthPart: TimePart = { name: "month", min: 1, max: 12 }
const hourPart: TimePart = { name: "hour", min: 0, max: 23 }
const minutePart: TimePart = { name: "minute", min: 0, max: 59 }
const secondPart: TimePart = { name: "second", min: 0, max: 59 }
/** Go accepts an offset of 24 hours or 60 minutes. */
const zoneParts: ReadonlyArray<TimePart> = [
  { name: "time zone offset hour", min: 0, max: 24 },
  { name: "time zone offset minute", min: 0, max: 60 }
]

const dash: LayoutElement = { element: "-", shape: /^-/ }
const colon: LayoutElement = { element: ":", shape: /^:/ }
const zone: LayoutElement = { element: "Z07:00", shape: /^(?:Z|[+-](\d\d):(\d\d))/, parts: zoneParts }
const upToMinute: ReadonlyArray<LayoutElement> = [
  { element: "2006", shape: /^\d{4}/ },
  dash,
  { element: "01", shape: /^(\d\d)/, parts: [monthPart] },
  dash,
  { element: "02", shape: /^\d\d/ },
  { element: "T", shape: /^T/ },
  { element: "15", shape: /^(\d\d?)/, parts: [hourPart] },
  colon,
  { element: "04", shape: /^(\d\d)/, parts: [minutePart] },
  colon
]
/** Without a fraction in the layout, the seconds may have a fraction of any length. */
const secondLayout: ReadonlyArray<LayoutElement> = [
  ...upToMinute,
  { element: "05", shape: /^(\d\d)(?:[.,]\d+)?/, parts: [secondPart] },
  zone
]
const microLayout: ReadonlyArray<LayoutElement> = [
  ...upToMinute,
  { element: "05", shape: /^(\d\d)/, parts: [secondPart] },
  { element: ".000000", shape: /^[.,]\d{6}/ },
  zone
]

/** Go stops at the first element that does not fit. */
const layoutProblem = (text: string, layout: ReadonlyArray<LayoutElement>): string => {
  let rest = text
  for (const { element, shape, parts = [] } of layout) {
    const match = shape.exec(rest)
    if (match === null) {
      const layoutText = layout.map((it) => it.element).join("")
      return `parsing time ${goTimeQuote(text)} as ${goTimeQuote(layoutText)}: cannot parse ${goTimeQuote(rest)} as ${goTimeQuote(element)}`
    }
    const invalidPart = outOfRange(parts, match.slice(1))
    if (invalidPart !== undefined) return rangeProblem(text, invalidPart)
    rest = rest.slice(match[0].length)
  }
  return `parsing time ${goTimeQuote(text)}: extra text: ${goTimeQuote(rest)}`
}

const rangeProblem = (text: string, partName: string): string =>
  `parsing time ${goTimeQuote(text)}: ${partName} out of range`

const outOfRange = (
  parts: ReadonlyArray<TimePart>,
  texts: ReadonlyArray<string | undefined>
): string | undefined =>
  parts.find(({ min, max }, index) => Number(texts[index]) < min || Number(texts[index]) > max)?.name

const zeroMillis = Date.parse("0001-01-01T00:00:00Z")
const clockParts = [monthPart, hourPart, minutePart, secondPart, ...zoneParts]

type Texts = ReadonlyArray<string | undefined>

const toUtcTime = (
  text: string,
  [year, month, day, hour = "", minute, second]: Texts,
  [sign, zoneHours = "0", zoneMinutes = "0"]: Texts,
  fraction: string
): ParsedTime => {
  const isDay = Number(day) >= 1 && Number(day) <= daysIn(Number(year), Number(month))
  const invalidPart =
    outOfRange(clockParts, [month, hour, minute, second, zoneHours, zoneMinutes]) ??
    (isDay ? undefined : "day")
  if (invalidPart !== undefined) return { problem: rangeProblem(text, invalidPart) }
  const offsetMillis = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000
  const localMillis = Date.parse(`${year}-${month}-${day}T${hour.padStart(2, "0")}:${minute}:${second}Z`)
  const millis = sign === "-" ? localMillis + offsetMillis : localMillis - offsetMillis
  if (millis === zeroMillis && Number(fraction) === 0) return {}
  return { time: `${goIsoText(millis).slice(0, -".000Z".length)}${fraction}Z` }
}

const daysIn = (year: number, month: number): number => {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}
