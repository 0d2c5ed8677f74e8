import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeObject } from "../../../../src/kubernetes/admission/decoding/decodeObject.ts"
import { parseMicroTime, parseTime } from "../../../../src/kubernetes/admission/decoding/parseTime.ts"
import { aDeployment, edited } from "../drafts.ts"

const seed = 41

describe("a time has whole seconds, in UTC (metav1.Time)", () => {
  it.each([
    { text: "2026-03-04T05:06:07Z", time: "2026-03-04T05:06:07Z", why: "unchanged" },
    { text: "2026-03-04T05:06:07.999999999Z", time: "2026-03-04T05:06:07Z", why: "truncated, not rounded" },
    { text: "2026-03-04T05:06:07,7Z", time: "2026-03-04T05:06:07Z", why: "a comma is accepted" },
    { text: "2026-03-04T05:06:07+02:00", time: "2026-03-04T03:06:07Z", why: "east of Greenwich" },
    {
      text: "2025-12-31T22:30:00-05:30",
      time: "2026-01-01T04:00:00Z",
      why: "west of Greenwich, over the end of the year"
    },
    { text: "2028-02-29T23:59:59Z", time: "2028-02-29T23:59:59Z", why: "a leap year" },
    { text: "1969-12-31T23:59:59.5Z", time: "1969-12-31T23:59:59Z", why: "truncated before 1970 as well" },
    { text: "2000-02-29T05:06:07Z", time: "2000-02-29T05:06:07Z", why: "a leap year every fourth century" },
    { text: "2026-06-30T05:06:07Z", time: "2026-06-30T05:06:07Z", why: "the last day of a short month" },
    { text: "2026-12-31T05:06:07Z", time: "2026-12-31T05:06:07Z", why: "the last day of a long month" },
    { text: "2026-03-04T05:06:07+24:00", time: "2026-03-03T05:06:07Z", why: "an offset of a day" },
    { text: "2026-03-04T05:06:07-01:60", time: "2026-03-04T07:06:07Z", why: "an offset of sixty minutes" },
    { text: "9999-12-31T23:30:00-01:00", time: "10000-01-01T00:30:00Z", why: "a year of five digits" },
    { text: "0000-01-01T00:00:00+01:00", time: "-0001-12-31T23:00:00Z", why: "a year before 0" },
    { text: "0001-01-01T00:00:00Z", time: undefined, why: "the zero time is absent" }
  ])("reads $text as $time: $why", ({ text, time }) => {
    expect(parseTime(text)).toEqual(time === undefined ? {} : { time })
  })

  it("stays the same when read again", () => {
    const dates = fc.date({
      min: new Date("0001-01-02T00:00:00Z"),
      max: new Date("9999-12-30T00:00:00Z"),
      noInvalidDate: true
    })
    fc.assert(
      fc.property(dates, (date) => {
        const { time = "" } = parseTime(date.toISOString())
        expect(Date.parse(time)).toBe(Math.floor(date.getTime() / 1000) * 1000)
        expect(parseTime(time)).toEqual({ time })
      }),
      { seed, numRuns: 200 }
    )
  })
})

describe("a time outside the calendar or the clock", () => {
  it.each([
    { text: "2026-00-04T05:06:07Z", part: "month" },
    { text: "2026-02-29T05:06:07Z", part: "day" },
    { text: "1900-02-29T05:06:07Z", part: "day" },
    { text: "2028-02-30T05:06:07Z", part: "day" },
    { text: "2026-03-00T05:06:07Z", part: "day" },
    { text: "2026-03-32T05:06:07Z", part: "day" },
    { text: "2026-04-31T05:06:07Z", part: "day" },
    { text: "2026-06-31T05:06:07Z", part: "day" },
    { text: "2026-09-31T05:06:07Z", part: "day" },
    { text: "2026-11-31T05:06:07Z", part: "day" },
    { text: "2026-03-04T24:00:00Z", part: "hour" },
    { text: "2026-03-04T05:60:07Z", part: "minute" },
    { text: "2026-03-04T05:06:60Z", part: "second" },
    { text: "2026-03-04T05:06:07+25:00", part: "time zone offset hour" },
    { text: "2026-03-04T05:06:07+02:61", part: "time zone offset minute" },
    { text: "2026-13-32T25:06:07Z", part: "month" }
  ])("is rejected for its $part: $text", ({ text, part }) => {
    expect(parseTime(text).problem).toBe(`parsing time "${text}": ${part} out of range`)
  })
})

describe("a time that is written otherwise", () => {
  const secondLayout = "2006-01-02T15:04:05Z07:00"
  it.each([
    { text: "2026-03-04", rest: "", element: "T" },
    { text: "2026-3-04T05:06:07Z", rest: "3-04T05:06:07Z", element: "01" },
    { text: "2026-03-04 05:06:07Z", rest: " 05:06:07Z", element: "T" },
    { text: "2026-03-04T05:6:07Z", rest: "6:07Z", element: "04" },
    { text: "2026-03-04T05:06:07", rest: "", element: "Z07:00" },
    { text: "2026-03-04T05:06:07.Z", rest: ".Z", element: "Z07:00" },
    { text: "2026-03-04T05:06:07+0100", rest: "+0100", element: "Z07:00" },
    { text: "10000-01-01T00:30:00Z", rest: "0-01-01T00:30:00Z", element: "-" },
    { text: "+010000-01-01T00:30:00Z", rest: "+010000-01-01T00:30:00Z", element: "2006" },
    { text: "-0001-12-31T23:00:00Z", rest: "-0001-12-31T23:00:00Z", element: "2006" },
    { text: "noon", rest: "noon", element: "2006" }
  ])("is rejected from the first element that does not fit: $text", ({ text, rest, element }) => {
    expect(parseTime(text).problem).toBe(
      `parsing time "${text}" as "${secondLayout}": cannot parse "${rest}" as "${element}"`
    )
  })

  it("is rejected for a month that does not exist before its end is read", () => {
    expect(parseTime("2026-13-04T").problem).toBe('parsing time "2026-13-04T": month out of range')
  })

  it("is rejected for text behind it", () => {
    expect(parseTime("2026-03-04T05:06:07Z ").problem).toBe(
      'parsing time "2026-03-04T05:06:07Z ": extra text: " "'
    )
  })

  it("may have an hour of one digit, and a comma before the fraction, as in Go", () => {
    expect(parseTime("2026-03-04T5:06:07+01:00")).toEqual({ time: "2026-03-04T04:06:07Z" })
    expect(parseMicroTime("2026-03-04T05:06:07,123456Z")).toEqual({ time: "2026-03-04T05:06:07.123456Z" })
  })
})

describe("a time in microseconds (metav1.MicroTime)", () => {
  it.each([
    { text: "2026-03-04T05:06:07.000700Z", time: "2026-03-04T05:06:07.000700Z", why: "keeps microseconds" },
    { text: "2026-03-04T05:06:07.123456+01:00", time: "2026-03-04T04:06:07.123456Z", why: "converts to UTC" },
    { text: "0001-01-01T00:00:00.000000Z", time: undefined, why: "drops the zero time" },
    {
      text: "0001-01-01T00:00:00.000001Z",
      time: "0001-01-01T00:00:00.000001Z",
      why: "keeps a microsecond after the zero time"
    }
  ])("$why: $text", ({ text, time }) => {
    expect(parseMicroTime(text)).toEqual(time === undefined ? {} : { time })
  })

  it.each([
    { text: "2026-03-04T05:06:07Z", rest: "Z", element: ".000000" },
    { text: "2026-03-04T05:06:07.7Z", rest: ".7Z", element: ".000000" },
    { text: "2026-03-04T05:06:07.1234567Z", rest: "7Z", element: "Z07:00" },
    { text: "noon", rest: "noon", element: "2006" }
  ])("needs exactly six decimals: $text", ({ text, rest, element }) => {
    const layout = "2006-01-02T15:04:05.000000Z07:00"
    expect(parseMicroTime(text).problem).toBe(
      `parsing time "${text}" as "${layout}": cannot parse "${rest}" as "${element}"`
    )
  })
})

describe("the times of a decoded object", () => {
  const timesOf = (value: object) => {
    const decoded = decodeObject(value, { strict: true })
    return decoded.ok ? decoded.object : decoded.message
  }

  it("are truncated to seconds, except for microsecond fields", () => {
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "node-1", creationTimestamp: "2026-03-04T05:06:07.7Z" },
      spec: { acquireTime: "2026-03-04T05:06:07.700000Z", renewTime: "2026-03-04T06:06:07.700000+01:00" }
    }
    expect(timesOf(lease)).toEqual({
      ...lease,
      metadata: { name: "node-1", creationTimestamp: "2026-03-04T05:06:07Z" },
      spec: { acquireTime: "2026-03-04T05:06:07.700000Z", renewTime: "2026-03-04T05:06:07.700000Z" }
    })
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "e" },
      eventTime: "2026-03-04T05:06:07.000007Z",
      firstTimestamp: "2026-03-04T05:06:07.000007Z",
      series: { count: 2, lastObservedTime: "2026-03-04T05:06:08.000009Z" }
    }
    expect(timesOf(event)).toEqual({ ...event, firstTimestamp: "2026-03-04T05:06:07Z" })
  })

  it("leave the object itself when they are in stored form", () => {
    const deployment = edited(aDeployment(), ["metadata.creationTimestamp", "2026-03-04T05:06:07Z"])
    expect(timesOf(deployment)).toBe(deployment)
  })
})
