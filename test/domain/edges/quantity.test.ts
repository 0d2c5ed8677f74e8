import { describe, expect, it } from "vitest"
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  quantityMillis,
  roundToMillis
} from "../../../src/kubernetes/meta/amounts/quantity.ts"
import type { Quantity } from "../../../src/kubernetes/meta/amounts/quantity.ts"

const read = (text: string): Quantity => {
  const quantity = parseQuantity(text)
  if (quantity === undefined) throw new Error(`${text} is no quantity`)
  return quantity
}

describe("how an amount is written", () => {
  it.each([
    { text: "0Ki", format: "binary", why: "nothing is no fraction" },
    { text: "0.0009765625Ki", format: "binary", why: "one byte is no fraction" },
    { text: "0.0009Ki", format: "decimal", why: "less than one byte is" },
    { text: "0.5", format: "decimal", why: "half of anything else stays as it is" },
    { text: "5e-1", format: "exponent", why: "also with an exponent" }
  ])("$text is $format: $why", ({ text, format }) => {
    expect(read(text).format).toBe(format)
  })

  it.each([
    { text: "1Ki", printed: "1Ki", why: "the smallest with a binary suffix" },
    { text: "0.9990234375Ki", printed: "1023", why: "one less has none" },
    { text: "0.00146484375Ki", printed: "1500m", why: "half a byte is not lost below 1Ki" },
    { text: "1.0009765625Ki", printed: "1025", why: "what 1024 does not divide" },
    { text: "1Ei", printed: "1Ei", why: "the largest binary suffix" },
    { text: "1024Pi", printed: "1Ei", why: "comes of itself" },
    { text: "1E", printed: "1E", why: "the largest decimal suffix" },
    { text: "-1.5Gi", printed: "-1536Mi", why: "less than nothing likewise" },
    { text: "1e0", printed: "1", why: "an exponent of 0 is not written" },
    { text: "10e0", printed: "10", why: "nor made" },
    { text: "1e1", printed: "10", why: "nor is one that is no multiple of 3" },
    { text: "1e64", printed: "9223372036854775807", why: "more than there can be" },
    { text: "1e-64", printed: "1e-9", why: "less than there can be" }
  ])("$text is printed $printed: $why", ({ text, printed }) => {
    expect(formatQuantity(read(text))).toBe(printed)
  })
})

describe("a sum", () => {
  const largest = "9223372036854775807"

  it.each([
    { a: "2Ki", b: "1k", sum: "3048", format: "binary", why: "is written as the first" },
    { a: "0", b: "1Ki", sum: "1Ki", format: "binary", why: "or as the second where the first is nothing" },
    { a: "0Ki", b: "1k", sum: "1k", format: "decimal", why: "whatever nothing was written as" },
    { a: "1Ki", b: "-1024", sum: "0", format: "binary", why: "may be nothing" },
    { a: "250m", b: "-1", sum: "-750m", format: "decimal", why: "may be less" },
    { a: largest, b: "1", sum: largest, format: "decimal", why: "is no more than can be said" },
    { a: `-${largest}`, b: "-1", sum: `-${largest}`, format: "decimal", why: "nor less" },
    {
      a: `-${largest}`,
      b: "1",
      sum: "-9223372036854775806",
      format: "decimal",
      why: "up to there it is exact"
    }
  ])("$a + $b = $sum: $why", ({ a, b, sum, format }) => {
    const added = addQuantities(read(a), read(b))
    expect(formatQuantity(added)).toBe(sum)
    expect(added.format).toBe(format)
  })
})

describe("thousandths", () => {
  it.each([
    { text: "0", millis: 0n, rounded: "0" },
    { text: "1n", millis: 1n, rounded: "1m" },
    { text: "1000001n", millis: 2n, rounded: "2m" },
    { text: "-1000001n", millis: -1n, rounded: "-2m" },
    { text: "-7m", millis: -7n, rounded: "-7m" }
  ])("$text is $millis, and rounded away from nothing $rounded", ({ text, millis, rounded }) => {
    expect(quantityMillis(read(text))).toBe(millis)
    expect(formatQuantity(roundToMillis(read(text)))).toBe(rounded)
  })
})
