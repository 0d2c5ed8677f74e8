import * as fc from "fast-check"
import { expect, test } from "vitest"
import { timestampOf } from "../../../../src/kubernetes/meta/amounts/timestamps.ts"

test("formats a time as Date does, without the fraction of the second", () => {
  // From the year -8000 on, to the year 9999 and beyond: dates before 1970 count backwards.
  fc.assert(
    fc.property(fc.integer({ min: -3e14, max: 3e14 }), (millis) => {
      const second = new Date(Math.floor(millis / 1000) * 1000)
      expect(timestampOf(millis)).toBe(second.toISOString().replace(".000Z", "Z"))
    })
  )
})

test("refuses a time that is no number", () => {
  expect(() => timestampOf(Number.NaN)).toThrow(RangeError)
})
