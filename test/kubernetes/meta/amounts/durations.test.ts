import * as fc from "fast-check"
import { expect, test } from "vitest"
import {
  formatDuration,
  parseDuration,
  toDurationMillis
} from "../../../../src/kubernetes/meta/amounts/durations.ts"

test.each([
  { text: "250ms", millis: 250, why: "one unit" },
  { text: "1.5s", millis: 1_500, why: "a fraction" },
  { text: "2m", millis: 120_000, why: "m is minutes, not the beginning of ms" },
  { text: "1h30m", millis: 5_400_000, why: "several units add up" },
  { text: "1m1h", millis: 3_660_000, why: "Go accepts any order of units" },
  { text: "1s1s", millis: 2_000, why: "Go accepts a repeated unit" },
  { text: "1.005s", millis: 1_005, why: "1.005 * 1000 would be 1004.9999999999999" },
  { text: ".5s", millis: 500, why: "no digit is needed before the point" },
  { text: "3.s", millis: 3_000, why: "no digit is needed after the point" },
  { text: "1500us", millis: 1.5, why: "less than a millisecond stays a fraction" },
  { text: "7\u00b5s", millis: 0.007, why: "the micro sign" },
  { text: "7\u03bcs", millis: 0.007, why: "the Greek letter mu" },
  { text: "3ns", millis: 0.000003, why: "the smallest unit" },
  { text: "0.9ns", millis: 0, why: "Go truncates below a nanosecond" },
  { text: "0", millis: 0, why: "zero alone needs no unit" },
  { text: "-0", millis: 0, why: "negative zero becomes zero" },
  { text: "0s", millis: 0, why: "zero with a unit" },
  { text: "-1m7s", millis: -67_000, why: "the sign applies to the whole" },
  { text: "+5s", millis: 5_000, why: "a plus is allowed" },
  { text: `0.${"3".repeat(400)}h`, millis: 1_199_999.999999, why: "more digits than a double holds" },
  { text: "-1ns", millis: -0.000001, why: "the smallest negative duration" },
  { text: "2562047h", millis: 9_223_369_200_000, why: "just within 64 bits of nanoseconds" }
])("reads $text as $millis ms: $why", ({ text, millis }) => {
  expect(parseDuration(text)).toBe(millis)
})

test.each([
  { text: "", why: "empty" },
  { text: "5", why: "no unit" },
  { text: "5 s", why: "a blank" },
  { text: "s", why: "no number" },
  { text: ".s", why: "a point alone" },
  { text: "1h30", why: "the last number has no unit" },
  { text: "1d", why: "Go has no days" },
  { text: "5S", why: "units are lower case" },
  { text: "1e3s", why: "no exponents" },
  { text: "--5s", why: "two signs" },
  { text: "1h-5m", why: "a sign inside" },
  { text: "1_000ms", why: "no separators" },
  { text: "2562048h", why: "more than 64 bits of nanoseconds" },
  { text: "9223372036854775808ns", why: "the first above 64 bits" },
  { text: `${"9".repeat(400)}s`, why: "400 digits" }
])("rejects '$text': $why", ({ text }) => {
  expect(parseDuration(text)).toBeUndefined()
})

test("adds hours, minutes, seconds and milliseconds", () => {
  const amount = fc.nat({ max: 9_999 })
  fc.assert(
    fc.property(amount, amount, amount, amount, (hours, minutes, seconds, millis) => {
      expect(parseDuration(`${hours}h${minutes}m${seconds}s${millis}ms`)).toBe(
        ((hours * 60 + minutes) * 60 + seconds) * 1_000 + millis
      )
    }),
    { seed: 1973 }
  )
})

test("gives a finite number or nothing for any text", () => {
  const unit = fc.constantFrom(...Array.from("0123456789.+-hmsnu\u00b5 "))
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const millis = parseDuration(text)
      expect(millis === undefined || Number.isFinite(millis)).toBe(true)
    }),
    { seed: 1973, numRuns: 1_000 }
  )
})

test.each([
  { duration: "1.5s", millis: 1500, why: "a text" },
  { duration: 250, millis: 250, why: "a number of milliseconds" },
  { duration: 0, millis: 0, why: "no time" }
])("takes $duration as $millis ms: $why", ({ duration, millis }) => {
  expect(toDurationMillis(duration)).toBe(millis)
})

test.each([
  { duration: "soon", given: '"soon"', why: "no duration" },
  { duration: "-1s", given: '"-1s"', why: "a negative text" },
  { duration: -1, given: "-1", why: "a negative number" },
  { duration: Number.NaN, given: "NaN", why: "no number" },
  { duration: Infinity, given: "Infinity", why: "no end" },
  { duration: true as unknown as number, given: "true", why: "neither a text nor a number" },
  { duration: null as unknown as number, given: "null", why: "nothing" }
])("refuses $given: $why", ({ duration, given }) => {
  expect(() => toDurationMillis(duration, "wait")).toThrow(
    new TypeError(`wait must be a duration such as "250ms", "1.5s" or "1h30m", or milliseconds, not ${given}`)
  )
})

test.each([
  { millis: 0, text: "0s", why: "no time" },
  { millis: -0.0001, text: "0s", why: "less than a microsecond, without a sign" },
  { millis: 0.001, text: "0.001ms", why: "a microsecond" },
  { millis: -0.001, text: "-0.001ms", why: "a negative microsecond" },
  { millis: 250, text: "250ms", why: "less than a second" },
  { millis: 1000, text: "1s", why: "a second" },
  { millis: 2500, text: "2.5s", why: "a fraction of seconds" },
  { millis: -90_000, text: "-1m30s", why: "the sign is for the whole" },
  { millis: 3_600_000, text: "1h", why: "units of 0 are left out" }
])("formats $millis ms as $text: $why", ({ millis, text }) => {
  expect(formatDuration(millis)).toBe(text)
})
