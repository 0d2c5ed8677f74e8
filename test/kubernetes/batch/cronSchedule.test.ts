import { describe, expect, it } from "vitest"
import {
  parseCronSchedule,
  timeZoneProblem,
  type CronFields
} from "../../../src/kubernetes/batch/cronSchedule.ts"

const fieldsOf = (text: string): CronFields => {
  const parsed = parseCronSchedule(text)
  if (!parsed.ok || "everyMillis" in parsed.schedule) throw new Error(`no fields: ${text}`)
  return parsed.schedule
}
const listed = (text: string, field: keyof CronFields): ReadonlyArray<number> =>
  [...fieldsOf(text)[field].values].sort((a, b) => a - b)

describe("a cron schedule", () => {
  it.each([
    { text: "*/15 * * * *", field: "minutes", values: [0, 15, 30, 45], why: "steps through all minutes" },
    { text: "50/5 * * * *", field: "minutes", values: [50, 55], why: "steps from a minute to the last" },
    { text: "1-9/3,30,30 * * * *", field: "minutes", values: [1, 4, 7, 30], why: "joins ranges and values" },
    { text: "0 0 ? JAN-mar *", field: "months", values: [1, 2, 3], why: "has names of months, in any case" },
    { text: "0 0 * * Mon,fri", field: "daysOfWeek", values: [1, 5], why: "has names of days" },
    { text: "  0   12 1 * *", field: "daysOfMonth", values: [1], why: "has blanks anywhere" },
    { text: "@weekly", field: "daysOfWeek", values: [0], why: "has a name for Sundays at midnight" },
    { text: "+5 * * * *", field: "minutes", values: [5], why: "has signed numbers, as Go reads them" },
    { text: ", * * * *", field: "minutes", values: [], why: "may have an empty list, and then never comes" },
    { text: "TZ=UTC  @daily", field: "hours", values: [0], why: "has its zone in front of a name" },
    { text: "TZ=Europe/Berlin 5 * * * *", field: "minutes", values: [5], why: "has its zone in front" }
  ] as const)("$why: $text", ({ text, field, values }) => {
    expect(listed(text, field)).toEqual(values)
  })

  it("knows a field that is every value, but not one with a step", () => {
    expect(fieldsOf("* */2 ? * */1")).toMatchObject({
      minutes: { isEvery: true },
      hours: { isEvery: false },
      daysOfMonth: { isEvery: true },
      daysOfWeek: { isEvery: true }
    })
  })

  it.each([
    { text: "@every 1h30m", everyMillis: 5_400_000 },
    { text: "@every 90.7s", everyMillis: 90_000 },
    { text: "@every 1ms", everyMillis: 1000 }
  ])("is an interval of whole seconds: $text", ({ text, everyMillis }) => {
    expect(parseCronSchedule(text)).toEqual({ ok: true, schedule: { everyMillis } })
  })

  it.each([
    ["", "empty spec string"],
    [" ", "expected exactly 5 fields, found 0: []"],
    ["a b c", "expected exactly 5 fields, found 3: [a b c]"],
    ["0 0 0 * * *", "expected exactly 5 fields, found 6: [0 0 0 * * *]"],
    ["70 * * * *", "end of range (70) above maximum (59): 70"],
    ["* 24 * * *", "end of range (24) above maximum (23): 24"],
    ["* * 32 * *", "end of range (32) above maximum (31): 32"],
    ["* * * 13 *", "end of range (13) above maximum (12): 13"],
    ["0 0 0 *", "expected exactly 5 fields, found 4: [0 0 0 *]"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["* * * * 7", "end of range (7) above maximum (6): 7"],
    ["9-5 * * * *", "beginning of range (9) beyond end of range (5): 9-5"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["1-2-x * * * *", "too many hyphens: 1-2-x"],
    ["1/2/x * * * *", "too many slashes: 1/2/x"],
    ["* * * foo *", 'failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax'],
    ["1- * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    [
      "99999999999999999999 * * * *",
      'failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": ' +
        "value out of range"
    ],
    ["*/-1 * * * *", "negative number (-1) not allowed: -1"],
    ["@never", "unrecognized descriptor: @never"],
    ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
    ["@every 5", 'failed to parse duration @every 5: time: missing unit in duration "5"'],
    ["@every 5d", 'failed to parse duration @every 5d: time: unknown unit "d" in duration "5d"'],
    ["TZ=Mars/Base * * * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"],
    ["CRON_TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"]
  ])("is refused: %j", (text, problem) => {
    expect(parseCronSchedule(text)).toEqual({ ok: false, problem })
  })
})

describe("a time zone", () => {
  it.each(["UTC", "", "Local", "Europe/Berlin", "US/Pacific", "Etc/GMT+5"])("is known: %j", (name) => {
    expect(timeZoneProblem(name)).toBeUndefined()
  })

  it.each([
    ["europe/berlin", "unknown time zone europe/berlin"],
    ["Mars", "unknown time zone Mars"],
    ["+0100", "unknown time zone +0100"],
    ["/etc/passwd", "time: invalid location name"],
    ["a/../b", "time: invalid location name"]
  ])("is refused: %j", (name, problem) => {
    expect(timeZoneProblem(name)).toBe(problem)
  })
})
