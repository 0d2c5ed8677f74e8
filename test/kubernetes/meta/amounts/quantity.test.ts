import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  milliValueOf,
  roundToMilliValue,
  type Quantity
} from "../../../../src/kubernetes/meta/amounts/quantity.ts"

const read = (text: string | number): Quantity => {
  const quantity = parseQuantity(text)
  if (quantity === undefined) throw new Error(`${text} is no quantity`)
  return quantity
}

describe("the canonical form of a quantity (TestQuantityParse, TestQuantityString)", () => {
  it.each([
    { text: "1", canonical: "1", why: "a plain number" },
    { text: 3, canonical: "3", why: "YAML gives numbers" },
    { text: 0.5, canonical: "500m", why: "fractions get a suffix" },
    { text: "1000m", canonical: "1", why: "the largest suffix without loss" },
    { text: "1500m", canonical: "1500m", why: "1.5 needs milli" },
    { text: "0.1m", canonical: "100u", why: "finer than milli is kept" },
    { text: "0.1n", canonical: "1n", why: "below a billionth is rounded up" },
    { text: "1024Mi", canonical: "1Gi", why: "binary suffixes step by 1024" },
    { text: "1.5Gi", canonical: "1536Mi", why: "a binary fraction gets the next lower suffix" },
    { text: "1024", canonical: "1024", why: "a decimal number stays decimal" },
    { text: "0.5Ki", canonical: "512", why: "below 1Ki there is no binary suffix" },
    { text: "0.0001Ki", canonical: "102400u", why: "a fraction below one is decimal" },
    { text: "1e3", canonical: "1e3", why: "an exponent is kept" },
    { text: "1E3", canonical: "1e3", why: "E with digits is an exponent" },
    { text: "1E", canonical: "1E", why: "E alone is exa" },
    { text: "12e1", canonical: "120", why: "exponents are multiples of three, 0 is dropped" },
    { text: "5e-3", canonical: "5e-3", why: "a negative exponent" },
    { text: "-250m", canonical: "-250m", why: "a negative number" },
    { text: "+7", canonical: "7", why: "a plus is dropped" },
    { text: ".25", canonical: "250m", why: "no digit before the point" },
    { text: "3.", canonical: "3", why: "no digit after the point" },
    { text: "0Ki", canonical: "0", why: "zero has no suffix" },
    { text: "9223372036854775808", canonical: "9223372036854775807", why: "capped at 2^63-1" },
    { text: "1e400", canonical: "9223372036854775807", why: "a huge exponent is the cap" },
    { text: "1e-400", canonical: "1e-9", why: "a tiny exponent gives the smallest quantity" }
  ])("of $text is $canonical: $why", ({ text, canonical }) => {
    expect(formatQuantity(read(text))).toBe(canonical)
  })

  it.each([
    "",
    ".",
    "-",
    "1 ",
    " 1",
    "1i",
    "1KI",
    "1ki",
    "1mm",
    "e3",
    "1e",
    "1e3.5",
    "1Ki3",
    "0x10",
    "1,5",
    "NaN",
    "Infinity"
  ])("does not exist for %j", (text) => {
    expect(parseQuantity(text)).toBeUndefined()
  })
})

describe("thousandths of a quantity", () => {
  it.each([
    { text: "250m", millis: 250n },
    { text: "2", millis: 2000n },
    { text: "1u", millis: 1n },
    { text: "-1500u", millis: -1n },
    { text: "1Ki", millis: 1_024_000n }
  ])("of $text are $millis, rounded up", ({ text, millis }) => {
    expect(milliValueOf(read(text))).toBe(millis)
  })

  it.each([
    { text: "1500u", rounded: "2m" },
    { text: "-1500u", rounded: "-2m" },
    { text: "3m", rounded: "3m" }
  ])("of $text are stored as $rounded, rounded away from zero", ({ text, rounded }) => {
    expect(formatQuantity(roundToMilliValue(read(text)))).toBe(rounded)
  })
})

const amounts = fc
  .tuple(
    fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n }),
    fc.constantFrom("n", "u", "m", "", "k", "M", "Ki", "Mi", "e3", "e-6")
  )
  .map(([count, suffix]) => `${count}${suffix}`)
const settings = { seed: 71, numRuns: 500 }

describe("laws of quantities", () => {
  it("are equal and printed equally after printing and parsing", () => {
    fc.assert(
      fc.property(amounts, (text) => {
        const once = read(text)
        const again = read(formatQuantity(once))
        expect(compareQuantities(once, again)).toBe(0)
        expect(formatQuantity(again)).toBe(formatQuantity(once))
      }),
      settings
    )
  })

  it("add in any order", () => {
    fc.assert(
      fc.property(amounts, amounts, amounts, (a, b, c) => {
        const [x, y, z] = [read(a), read(b), read(c)]
        expect(compareQuantities(addQuantities(x, y), addQuantities(y, x))).toBe(0)
        const left = addQuantities(addQuantities(x, y), z)
        expect(compareQuantities(left, addQuantities(x, addQuantities(y, z)))).toBe(0)
      }),
      settings
    )
  })

  it("compare less than a sum with something positive", () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 1, max: 1e9 }), (text, more) => {
        const smaller = read(text)
        expect(compareQuantities(smaller, addQuantities(smaller, read(`${more}n`)))).toBe(-1)
      }),
      settings
    )
  })

  it("round up by less than one thousandth", () => {
    fc.assert(
      fc.property(amounts, (text) => {
        const quantity = read(text)
        const rest = milliValueOf(quantity) * 1_000_000n - quantity.nanos
        expect(rest >= 0n && rest < 1_000_000n).toBe(true)
      }),
      settings
    )
  })
})
