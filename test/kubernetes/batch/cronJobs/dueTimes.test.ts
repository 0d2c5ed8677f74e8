import { describe, expect, it } from "vitest"
import {
  missedTimesEvents,
  scheduleProblemEvents
} from "../../../../src/kubernetes/batch/cronJobs/cronJobEvents.ts"
import {
  dueTimes,
  jobNameAt,
  timeZoneOf,
  zonedTimestamp
} from "../../../../src/kubernetes/batch/cronJobs/cronJobObservation.ts"
import { aCronJob, aCronJobObservation, aTime, startMillis } from "../../../builders.ts"
import type { CronJob } from "../../../../src/kubernetes/batch/cronJobs/cronJobTypes.ts"

const [minute, hour, day] = [60, 3600, 86_400]

interface Row {
  readonly why: string
  readonly spec?: Partial<CronJob["spec"]>
  /** Its `lastScheduleTime`, in seconds after the start, at which it was created. */
  readonly last?: number
  /** Seconds after the start. */
  readonly now: number
  /** Seconds after the start; undefined for none. */
  readonly due: number | undefined
  readonly next: number | undefined
  readonly hasMissedMany?: boolean
}

const hourly = { schedule: "0 * * * *" }

describe("when a CronJob is due (TestMostRecentScheduleTime, TestNextScheduleTime)", () => {
  it.each<Row>([
    { why: "not before the first time", spec: hourly, now: 10, due: undefined, next: hour },
    { why: "at the time itself", spec: hourly, now: hour, due: hour, next: 2 * hour },
    { why: "not a second before", spec: hourly, now: hour - 1, due: undefined, next: hour },
    { why: "since a time that has passed", spec: hourly, now: hour + 10, due: hour, next: 2 * hour },
    {
      why: "not twice at one time",
      spec: hourly,
      last: hour,
      now: hour + 10,
      due: undefined,
      next: 2 * hour
    },
    {
      why: "since the second of two missed times",
      spec: hourly,
      now: 2 * hour + 10,
      due: 2 * hour,
      next: 3 * hour
    },
    {
      why: "since the second of two missed times, at that time",
      spec: hourly,
      now: 2 * hour,
      due: 2 * hour,
      next: 3 * hour
    },
    {
      why: "since the last of several missed times",
      spec: hourly,
      last: hour,
      now: 5 * hour + 10,
      due: 5 * hour,
      next: 6 * hour
    },
    {
      why: "since the last missed time, at that time",
      spec: hourly,
      last: hour,
      now: 5 * hour,
      due: 5 * hour,
      next: 6 * hour
    },
    {
      why: "a hundred missed times are not many",
      now: 100 * minute,
      due: 100 * minute,
      next: 101 * minute
    },
    {
      why: "a hundred and one are",
      now: 101 * minute,
      due: 101 * minute,
      next: 102 * minute,
      hasMissedMany: true
    },
    {
      why: "of which startingDeadlineSeconds leave two",
      spec: { startingDeadlineSeconds: 120 },
      now: 101 * minute + 1,
      due: 101 * minute,
      next: 102 * minute
    },
    {
      why: "not later than startingDeadlineSeconds",
      spec: { ...hourly, startingDeadlineSeconds: 10 },
      now: hour + 11,
      due: undefined,
      next: 2 * hour
    },
    {
      why: "not when startingDeadlineSeconds have just passed",
      spec: { ...hourly, startingDeadlineSeconds: 10 },
      now: hour + 10,
      due: undefined,
      next: 2 * hour
    },
    {
      why: "within startingDeadlineSeconds",
      spec: { ...hourly, startingDeadlineSeconds: 10 },
      now: hour + 9,
      due: hour,
      next: 2 * hour
    },
    {
      why: "startingDeadlineSeconds that reach before the last time bring it not back",
      spec: { ...hourly, startingDeadlineSeconds: day },
      last: hour,
      now: hour + 9,
      due: undefined,
      next: 2 * hour
    },
    {
      why: "on an irregular schedule, whose first two times are far apart",
      spec: { schedule: "30 6-16/4 * * 1-5" },
      // Thursday, the first of January: 6:30, 10:30, 14:30.
      now: 15 * hour,
      due: 14.5 * hour,
      next: day + 6.5 * hour
    },
    {
      why: "on an irregular schedule, none is found where the first two are close and the last is far back",
      spec: { schedule: "0-9 0 * * *" },
      now: 50 * minute,
      due: undefined,
      next: day
    },
    {
      why: "nor the last of them, as soon as one more would be due if they went on",
      spec: { schedule: "0-9 0 * * *" },
      now: 10 * minute + 10,
      due: undefined,
      next: day
    },
    {
      why: "never on a day that does not exist",
      spec: { schedule: "0 0 31 2 *" },
      now: day,
      due: undefined,
      next: undefined
    },
    {
      why: "with @every, so long after its creation",
      spec: { schedule: "@every 1h" },
      now: 10,
      due: undefined,
      next: hour
    },
    {
      why: "with @every, so long after the last time",
      spec: { schedule: "@every 1h" },
      last: 10,
      now: hour + 5,
      due: undefined,
      next: hour + 10
    },
    {
      why: "with @every, again so long after a missed time",
      spec: { schedule: "@every 1h" },
      last: 10,
      now: hour + 20,
      due: hour + 10,
      next: 2 * hour + 10
    },
    {
      why: "with @every 1s, after a hundred and one seconds",
      spec: { schedule: "@every 1s" },
      last: 10,
      now: 111,
      due: 111,
      next: 112,
      hasMissedMany: true
    },
    {
      why: "with @every 1s, at once",
      spec: { schedule: "@every 1s" },
      last: 10,
      now: 13,
      due: 13,
      next: 14
    },
    {
      why: "not with a schedule that cannot be read",
      spec: { schedule: "at noon" },
      now: day,
      due: undefined,
      next: undefined
    },
    {
      why: "not in a time zone that is not known",
      spec: { timeZone: "Mars/Olympus" },
      now: day,
      due: undefined,
      next: undefined
    },
    {
      why: "on the clock of its time zone, seven hours behind",
      spec: { schedule: "0 0 * * *", timeZone: "America/Denver" },
      now: 7 * hour,
      due: 7 * hour,
      next: day + 7 * hour
    },
    {
      why: "on the clock of the zone in front of an old schedule",
      spec: { schedule: "TZ=America/Denver 0 0 * * *" },
      now: 7 * hour,
      due: 7 * hour,
      next: day + 7 * hour
    }
  ])("$why", ({ spec = {}, last, now, due, next, hasMissedMany = false }) => {
    const status = last === undefined ? {} : { lastScheduleTime: aTime(last) }
    const millisOf = (second: number | undefined) =>
      second === undefined ? undefined : startMillis + second * 1000
    const seen = aCronJobObservation({ spec, status }, [], now)
    expect(dueTimes(seen)).toEqual({ dueMillis: millisOf(due), nextMillis: millisOf(next), hasMissedMany })
    expect(missedTimesEvents(seen)).toHaveLength(hasMissedMany ? 1 : 0)
  })
})

describe("a schedule that cannot be read", () => {
  it.each([
    { why: "is none", spec: {}, problem: undefined },
    {
      why: "has a problem of the parser",
      spec: { schedule: "at noon" },
      problem:
        'UnparseableSchedule: unparseable schedule: "at noon" : expected exactly 5 fields, found 2: [at noon]'
    },
    {
      why: "has a time zone that is not known, which is told first",
      spec: { schedule: "at noon", timeZone: "Mars/Olympus" },
      problem: 'UnknownTimeZone: invalid timeZone: "Mars/Olympus": unknown time zone Mars/Olympus'
    }
  ])("$why", ({ spec, problem }) => {
    const events = scheduleProblemEvents(aCronJobObservation({ spec }))
    const texts = events.map(({ reason, message }) => `${reason}: ${message}`)
    expect(texts).toEqual(problem === undefined ? [] : [problem])
  })
})

describe("the time zone of a CronJob", () => {
  it.each([
    { why: "is UTC by default", timeZone: undefined, zone: "UTC" },
    { why: "is UTC where it is empty", timeZone: "", zone: "UTC" },
    { why: "is that of the controller, UTC, where it is Local", timeZone: "Local", zone: "UTC" },
    { why: "has a name", timeZone: "Asia/Kolkata", zone: "Asia/Kolkata" }
  ])("$why", ({ timeZone, zone }) => {
    expect(timeZoneOf(aCronJob({ spec: timeZone === undefined ? {} : { timeZone } }))).toBe(zone)
  })
})

describe("the scheduled time of a Job", () => {
  it("is in its name, in minutes since 1970", () => {
    expect(jobNameAt(aCronJob(), startMillis + 59_999)).toBe("nightly-29453760")
    expect(jobNameAt(aCronJob(), startMillis + 60_000)).toBe("nightly-29453761")
  })

  it.each([
    { zone: "UTC", text: "2026-01-01T00:00:00Z" },
    { zone: "Europe/London", text: "2026-01-01T00:00:00Z" },
    { zone: "Europe/Berlin", text: "2026-01-01T01:00:00+01:00" },
    { zone: "Asia/Kolkata", text: "2026-01-01T05:30:00+05:30" },
    { zone: "America/St_Johns", text: "2025-12-31T20:30:00-03:30" },
    { zone: "Pacific/Auckland", text: "2026-01-01T13:00:00+13:00" }
  ])("is in its annotation, on the clock of $zone", ({ zone, text }) => {
    expect(zonedTimestamp(startMillis, zone)).toBe(text)
  })
})
