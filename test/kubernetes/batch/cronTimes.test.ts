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

describe("the times of a schedule", () => {
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
