import { describe, expect, it } from "vitest"
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  milliValueOf,
  roundToMilliValue
} from "../../../../src/kubernetes/meta/amounts/quantity.ts"
import type { Quantity } from "../../../../src/kubernetes/meta/amounts/quantity.ts"

const read = (text: string): Quantity => {
  const quantity = parseQuantity(text)
  if (quantity === undefined) throw new Error(`${text} is no quantity`)
  return quantity
}

describe("the format of a quantity", () => {
  it.each([
    { text: "0Ki", format: "binary", why: "0 is whole" },
    { text: "0.0009765625Ki", format: "binary", why: "one byte is whole" },
    { text: "0.0009Ki", format: "decimal", why: "less than one byte is a fraction" },
    { text: "0.5", format: "decimal", why: "a decimal fraction stays decimal" },
    { text: "5e-1", format: "exponent", why: "a fraction with an exponent keeps it" }
  ])("of $text is $format: $why", ({ text, format }) => {
    expect(read(text).format).toBe(format)
  })

  it.each([
    { text: "1Ki", printed: "1Ki", why: "the smallest binary suffix" },
    { text: "0.9990234375Ki", printed: "1023", why: "below the smallest binary suffix" },
    { text: "0.00146484375Ki", printed: "1500m", why: "a fraction of a byte below 1Ki is kept" },
    { text: "1.0009765625Ki", printed: "1025", why: "not divisible by 1024" },
    { text: "1Ei", printed: "1Ei", why: "the largest binary suffix" },
    { text: "1024Pi", printed: "1Ei", why: "the suffix is shortened" },
    { text: "1E", printed: "1E", why: "the largest decimal suffix" },
    { text: "-1.5Gi", printed: "-1536Mi", why: "a negative quantity" },
    { text: "1e0", printed: "1", why: "an exponent of 0 is dropped" },
    { text: "10e0", printed: "10", why: "no exponent is added" },
    { text: "1e1", printed: "10", why: "an exponent that is no multiple of 3 is dropped" },
    { text: "1e64", printed: "9223372036854775807", why: "the upper limit" },
    { text: "1e-64", printed: "1e-9", why: "the lower limit" }
  ])("prints $text as $printed: $why", ({ text, printed }) => {
    expect(formatQuantity(read(text))).toBe(printed)
  })
})

describe("the sum of two quantities", () => {
  const largest = "9223372036854775807"

  it.each([
    { a: "2Ki", b: "1k", sum: "3048", format: "binary", why: "has the format of the first" },
    {
      a: "0",
      b: "1Ki",
      sum: "1Ki",
      format: "binary",
      why: "has the format of the second when the first is 0"
    },
    { a: "0Ki", b: "1k", sum: "1k", format: "decimal", why: "has the format of the second for any 0" },
    { a: "1Ki", b: "-1024", sum: "0", format: "binary", why: "may be 0" },
    { a: "250m", b: "-1", sum: "-750m", format: "decimal", why: "may be negative" },
    { a: largest, b: "1", sum: largest, format: "decimal", why: "has an upper limit" },
    { a: `-${largest}`, b: "-1", sum: `-${largest}`, format: "decimal", why: "has a lower limit" },
    {
      a: `-${largest}`,
      b: "1",
      sum: "-9223372036854775806",
      format: "decimal",
      why: "is exact within the limits"
    }
  ])("$a + $b = $sum: $why", ({ a, b, sum, format }) => {
    const added = addQuantities(read(a), read(b))
    expect(formatQuantity(added)).toBe(sum)
    expect(added.format).toBe(format)
  })
})

describe("thousandths of a quantity", () => {
  it.each([
    { text: "0", millis: 0n, rounded: "0" },
    { text: "1n", millis: 1n, rounded: "1m" },
    { text: "1000001n", millis: 2n, rounded: "2m" },
    { text: "-1000001n", millis: -1n, rounded: "-2m" },
    { text: "-7m", millis: -7n, rounded: "-7m" }
  ])("of $text are $millis, rounded away from 0 $rounded", ({ text, millis, rounded }) => {
    expect(milliValueOf(read(text))).toBe(millis)
    expect(formatQuantity(roundToMilliValue(read(text)))).toBe(rounded)
  })
})
