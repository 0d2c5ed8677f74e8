import * as fc from "fast-check"
import { expect, test } from "vitest"
import { timestampMillis, timestampOf } from "../../../../src/kubernetes/meta/amounts/timestamps.ts"

test("formats a time as Date does, without the fraction of the second and a sign before the year", () => {
  // From the year -8000 on, to the year 9999 and beyond: dates before 1970 count backwards.
  fc.assert(
    fc.property(fc.integer({ min: -3e14, max: 3e14 }), (millis) => {
      const second = new Date(Math.floor(millis / 1000) * 1000)
      const text = timestampOf(millis)
      expect(text.replace(/^-/, "")).toBe(second.toISOString().replace(/^[+-]0{0,2}|\.000(?=Z)/g, ""))
      expect(timestampMillis(text)).toBe(second.getTime())
    })
  )
})

test.each([
  [253_402_300_799_000, "9999-12-31T23:59:59Z"],
  [253_402_300_800_000, "10000-01-01T00:00:00Z"],
  [8_640_000_000_000_000, "275760-09-13T00:00:00Z"],
  [-62_167_219_201_000, "-0001-12-31T23:59:59Z"]
])("writes and reads %d as Go does: %s", (millis, text) => {
  expect(timestampOf(millis)).toBe(text)
  expect(timestampMillis(text)).toBe(millis)
})

test.each([null, "", "noon"])("reads %j as no number", (timestamp) => {
  expect(timestampMillis(timestamp)).toBeNaN()
})

test("refuses a time that is no number", () => {
  expect(() => timestampOf(Number.NaN)).toThrow(RangeError)
})
