import { describe, expect, it } from "vitest"
import { shortAge } from "../../../../src/kubernetes/meta/text/shortAge.ts"

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

describe("the short age (TestHumanDuration)", () => {
  it.each([
    { seconds: -1.999, text: "0s", why: "less than two seconds in the future" },
    { seconds: -2, text: "<invalid>", why: "too far in the future" },
    { seconds: -1.999, text: "0s", why: "a clock skew below two seconds" },
    { seconds: 0, text: "0s", why: "now" },
    { seconds: 0.999, text: "0s", why: "less than a second" },
    { seconds: 1.001, text: "1s", why: "the first second" },
    { seconds: 2 * minute - 1, text: "119s", why: "seconds below two minutes" },
    { seconds: 2 * minute, text: "2m", why: "no seconds when they are 0" },
    { seconds: 2 * minute + 1, text: "2m1s", why: "minutes and seconds" },
    { seconds: 10 * minute - 1, text: "9m59s", why: "up to ten minutes" },
    { seconds: 10 * minute, text: "10m", why: "minutes from ten minutes on" },
    { seconds: 10 * minute + 31, text: "10m", why: "no seconds from ten minutes on" },
    { seconds: 3 * hour - 1, text: "179m", why: "minutes below three hours" },
    { seconds: 3 * hour, text: "3h", why: "no minutes when they are 0" },
    { seconds: 3 * hour + 7 * minute + 59, text: "3h7m", why: "hours and minutes" },
    { seconds: 8 * hour - 1, text: "7h59m", why: "up to eight hours" },
    { seconds: 8 * hour, text: "8h", why: "hours from eight hours on" },
    { seconds: 8 * hour + 31 * minute, text: "8h", why: "no minutes from eight hours on" },
    { seconds: 2 * day - 1, text: "47h", why: "hours below two days" },
    { seconds: 2 * day, text: "2d", why: "no hours when they are 0" },
    { seconds: 5 * day + 23 * hour + 3599, text: "5d23h", why: "days and hours" },
    { seconds: 8 * day - 1, text: "7d23h", why: "up to eight days" },
    { seconds: 8 * day, text: "8d", why: "days from eight days on" },
    { seconds: 8 * day + 7 * hour, text: "8d", why: "no hours from eight days on" },
    { seconds: 2 * year - 1, text: "729d", why: "days below two years" },
    { seconds: 2 * year, text: "2y", why: "no days when they are 0" },
    { seconds: 3 * year + 5 * day, text: "3y5d", why: "years and days" },
    { seconds: 8 * year - 1, text: "7y364d", why: "up to eight years" },
    { seconds: 8 * year, text: "8y", why: "years from eight years on" },
    { seconds: 8 * year + 31 * day, text: "8y", why: "no days from eight years on" },
    { seconds: 11 * year - 1, text: "10y", why: "whole years" }
  ])("of $seconds seconds is $text: $why", ({ seconds, text }) => {
    expect(shortAge(seconds * 1000)).toBe(text)
  })
})
