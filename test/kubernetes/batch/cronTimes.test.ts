import { describe, expect, it } from "vitest"
import { nextCronTime } from "../../../src/kubernetes/batch/cronTimes.ts"
import { parseCronSchedule } from "../../../src/kubernetes/batch/cronSchedule.ts"

const timesOf = (schedule: string, from: string, zone: string, count: number): ReadonlyArray<string> => {
  const parsed = parseCronSchedule(schedule)
  if (!parsed.ok) throw new Error(parsed.problem)
  const times: Array<string> = []
  let millis = Date.parse(from)
  while (times.length < count) {
    const next = nextCronTime(parsed.schedule, millis, zone)
    if (next === undefined) return [...times, "never"]
    times.push(new Date(next).toISOString().replace(":00.000Z", "Z"))
    millis = next
  }
  return times
}

/** Rows about changes of the clock follow upstream's TestNext (github.com/robfig/cron, spec_test.go). */
describe("the times of a schedule (TestNext)", () => {
  const rows = [
    {
      why: "every quarter of an hour",
      schedule: "*/15 * * * *",
      from: "2026-01-01T00:14:59Z",
      times: ["2026-01-01T00:15Z", "2026-01-01T00:30Z"]
    },
    {
      why: "the time itself is over",
      schedule: "0 * * * *",
      from: "2026-01-01T05:00:00Z",
      times: ["2026-01-01T06:00Z"]
    },
    {
      why: "a day of the month or of the week",
      schedule: "0 0 13 * 5",
      from: "2026-02-01T00:00:00Z",
      times: ["2026-02-06T00:00Z", "2026-02-13T00:00Z", "2026-02-20T00:00Z"]
    },
    {
      why: "the last day of February",
      schedule: "0 0 29 2 *",
      from: "2026-01-01T00:00:00Z",
      times: ["2028-02-29T00:00Z"]
    },
    { why: "a day that never comes", schedule: "0 0 31 2 *", from: "2026-01-01T00:00:00Z", times: ["never"] },
    {
      why: "every 90 minutes",
      schedule: "@every 90m",
      from: "2026-01-01T00:00:00Z",
      times: ["2026-01-01T01:30Z", "2026-01-01T03:00Z"]
    },
    {
      why: "the clock is put forward over it",
      schedule: "30 2 * * *",
      zone: "Europe/Berlin",
      from: "2026-03-28T00:00:00Z",
      times: ["2026-03-28T01:30Z", "2026-03-30T00:30Z"]
    },
    {
      why: "the clock shows it twice",
      schedule: "30 2 * * *",
      zone: "Europe/Berlin",
      from: "2026-10-24T12:00:00Z",
      times: ["2026-10-25T00:30Z", "2026-10-25T01:30Z", "2026-10-26T01:30Z"]
    },
    {
      why: "a zone half an hour off",
      schedule: "0 9 * * 1",
      zone: "Asia/Kolkata",
      from: "2026-01-01T00:00:00Z",
      times: ["2026-01-05T03:30Z"]
    },
    {
      why: "a day in the next month but one",
      schedule: "0 0 15 3 *",
      from: "2026-01-20T10:20:00Z",
      times: ["2026-03-15T00:00Z", "2027-03-15T00:00Z"]
    },
    {
      why: "the last minute of an hour, the next hour, and the next day",
      schedule: "59 22-23 * * *",
      from: "2026-01-01T22:30:00Z",
      times: ["2026-01-01T22:59Z", "2026-01-01T23:59Z", "2026-01-02T22:59Z"]
    },
    {
      why: "Sunday is 0, whatever the day of the month",
      schedule: "0 12 * * 0",
      from: "2026-01-01T00:00:00Z",
      times: ["2026-01-04T12:00Z", "2026-01-11T12:00Z"]
    },
    {
      why: "an hour with @every, without the fraction of a second",
      schedule: "@every 1h",
      from: "2026-01-01T00:00:00.999Z",
      times: ["2026-01-01T01:00Z"]
    },
    {
      why: "a leap day that is eight years off: no search is that long",
      schedule: "0 0 29 2 *",
      from: "2096-03-01T00:00:00Z",
      times: ["never"]
    },
    {
      why: "across a day whose midnight does not exist",
      schedule: "0 9 10 * *",
      zone: "America/Sao_Paulo",
      from: "2018-10-17T09:00:00Z",
      times: ["2018-11-10T11:00Z"]
    },
    {
      why: "across a day whose last hour comes twice",
      schedule: "0 9 22 * *",
      zone: "America/Sao_Paulo",
      from: "2018-02-14T10:00:00Z",
      times: ["2018-02-22T12:00Z"]
    },
    {
      why: "on the day whose midnight does not exist",
      schedule: "*/30 * 4 11 *",
      zone: "America/Sao_Paulo",
      from: "2018-11-01T00:00:00Z",
      times: ["2018-11-04T03:00Z", "2018-11-04T03:30Z"]
    },
    {
      why: "the midnight after a day of 23 hours",
      schedule: "0 0 9 3 *",
      zone: "America/New_York",
      from: "2026-03-08T05:00:00Z",
      times: ["2026-03-09T04:00Z"]
    },
    {
      why: "the midnight after a day of 25 hours",
      schedule: "0 0 2 11 *",
      zone: "America/New_York",
      from: "2026-11-01T04:00:00Z",
      times: ["2026-11-02T05:00Z"]
    },
    {
      why: "a midnight that the clock shows twice",
      schedule: "0 0 1 11 *",
      zone: "America/Havana",
      from: "2026-10-31T12:00:00Z",
      times: ["2026-11-01T04:00Z", "2026-11-01T05:00Z"]
    },
    {
      why: "the midnight after a day that is half an hour shorter",
      schedule: "0 0 5 10 *",
      zone: "Australia/Lord_Howe",
      from: "2026-10-03T20:00:00Z",
      times: ["2026-10-04T13:00Z"]
    },
    {
      why: "the midnight after a day that is half an hour longer",
      schedule: "0 0 6 4 *",
      zone: "Australia/Lord_Howe",
      from: "2026-04-04T20:00:00Z",
      times: ["2026-04-05T13:30Z"]
    },
    {
      why: "midnight that does not exist",
      schedule: "0 12 * * *",
      zone: "America/Asuncion",
      from: "2023-09-30T20:00:00Z",
      times: ["2023-10-01T15:00Z", "2023-10-02T15:00Z"]
    }
  ]
  it.each(rows)("are right: $why", ({ schedule, from, zone = "UTC", times }) => {
    expect(timesOf(schedule, from, zone, times.length)).toEqual(times)
  })
})
