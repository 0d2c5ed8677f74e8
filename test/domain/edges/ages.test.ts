import { describe, expect, it } from "vitest"
import { shortAge } from "../../../src/kubernetes/meta/text/shortAge.ts"

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

describe("an age has two units at the most (TestHumanDuration)", () => {
  it.each([
    { seconds: -2, text: "<invalid>", why: "clocks do not differ by as much" },
    { seconds: -1.999, text: "0s", why: "by a second they may" },
    { seconds: 0, text: "0s", why: "now" },
    { seconds: 0.999, text: "0s", why: "no whole second yet" },
    { seconds: 1.001, text: "1s", why: "and now there is" },
    { seconds: 2 * minute - 1, text: "119s", why: "two minutes are counted in seconds" },
    { seconds: 2 * minute, text: "2m", why: "no second unit where it is nothing" },
    { seconds: 2 * minute + 1, text: "2m1s", why: "to the second" },
    { seconds: 10 * minute - 1, text: "9m59s", why: "up to ten minutes" },
    { seconds: 10 * minute, text: "10m", why: "from there in minutes" },
    { seconds: 10 * minute + 31, text: "10m", why: "and no longer in seconds" },
    { seconds: 3 * hour - 1, text: "179m", why: "up to three hours" },
    { seconds: 3 * hour, text: "3h", why: "no minute over" },
    { seconds: 3 * hour + 7 * minute + 59, text: "3h7m", why: "to the minute" },
    { seconds: 8 * hour - 1, text: "7h59m", why: "up to eight hours" },
    { seconds: 8 * hour, text: "8h", why: "from there in hours" },
    { seconds: 8 * hour + 31 * minute, text: "8h", why: "and no longer in minutes" },
    { seconds: 2 * day - 1, text: "47h", why: "up to two days" },
    { seconds: 2 * day, text: "2d", why: "no hour over" },
    { seconds: 5 * day + 23 * hour + 3599, text: "5d23h", why: "to the hour" },
    { seconds: 8 * day - 1, text: "7d23h", why: "up to eight days" },
    { seconds: 8 * day, text: "8d", why: "from there in days" },
    { seconds: 8 * day + 7 * hour, text: "8d", why: "and no longer in hours" },
    { seconds: 2 * year - 1, text: "729d", why: "up to two years" },
    { seconds: 2 * year, text: "2y", why: "no day over" },
    { seconds: 3 * year + 5 * day, text: "3y5d", why: "to the day" },
    { seconds: 8 * year - 1, text: "7y364d", why: "up to eight years" },
    { seconds: 8 * year, text: "8y", why: "from there in years" },
    { seconds: 8 * year + 31 * day, text: "8y", why: "and no longer in days" },
    { seconds: 11 * year - 1, text: "10y", why: "of whole ones" }
  ])("$seconds seconds are $text: $why", ({ seconds, text }) => {
    expect(shortAge(seconds * 1000)).toBe(text)
  })
})
