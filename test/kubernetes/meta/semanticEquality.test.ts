import { describe, expect, it } from "vitest"
import {
  isEmptyValue,
  isFieldSemanticallyEqual,
  isSemanticallyEqual,
  isEqualAsStored,
  canonicalQuantityText
} from "../../../src/kubernetes/meta/semanticEquality.ts"

interface SameRow {
  readonly why: string
  readonly a: unknown
  readonly b: unknown
  readonly same: boolean
  readonly field?: string
}

const rows: ReadonlyArray<SameRow> = [
  { why: "a missing and an empty list", a: { args: [] }, b: {}, same: true },
  { why: "an empty list and null", a: { args: [] }, b: { args: null }, same: true },
  { why: "a missing list and a list of one", a: {}, b: { args: ["x"] }, same: false },
  { why: "a missing and an empty map", a: { labels: {} }, b: {}, same: true },
  { why: "a missing map and a map of one", a: { labels: { a: "" } }, b: {}, same: false },
  { why: "an empty struct differs from none", a: { emptyDir: {} }, b: {}, same: false },
  { why: "an empty string differs from none", a: { image: "" }, b: {}, same: false },
  { why: "zero differs from none", a: { replicas: 0 }, b: {}, same: false },
  { why: "a list with one element more", a: ["x"], b: ["x", "y"], same: false },
  { why: "a list with one element less", a: ["x", "y"], b: ["x"], same: false },
  { why: "a list with another last element", a: ["x", "y"], b: ["x", "z"], same: false },
  { why: "the same list in another order", a: ["x", "y"], b: ["y", "x"], same: false },
  { why: "an empty element of a list counts", a: ["x", []], b: ["x"], same: false },
  { why: "two lists of equal parts", a: [{ a: [] }], b: [{}], same: true },
  { why: "a list and a map with its indexes", a: ["x"], b: { 0: "x" }, same: false },
  { why: "a list and a map with its indexes and length", a: ["x"], b: { 0: "x", length: 1 }, same: false },
  { why: "a list and a map as elements", a: [["x"]], b: [{ 0: "x" }], same: false },
  { why: "a map and a string", a: { a: "x" }, b: "x", same: false },
  { why: "a string and a map", a: "x", b: { a: "x" }, same: false },
  { why: "two strings", a: "1", b: "1.0", same: false },
  { why: "a number and its text", a: 1, b: "1", same: false },
  {
    why: "equal quantities in a map of quantities",
    a: { limits: { cpu: "1" } },
    b: { limits: { cpu: "1000m" } },
    same: true
  },
  { why: "different quantities", a: { limits: { cpu: "1" } }, b: { limits: { cpu: "1001m" } }, same: false },
  {
    why: "equal quantities of two resources",
    a: { requests: { cpu: "1", memory: "1Gi" } },
    b: { requests: { cpu: "1", memory: "1024Mi" } },
    same: true
  },
  {
    why: "a quantity that is missing on one side",
    a: { requests: { cpu: "1" } },
    b: { requests: { cpu: "1", memory: "1Gi" } },
    same: false
  },
  {
    why: "invalid quantities are compared as strings",
    a: { limits: { cpu: "many" } },
    b: { limits: { cpu: "few" } },
    same: false
  },
  { why: "a quantity as a number", a: { sizeLimit: 1024 }, b: { sizeLimit: "1Ki" }, same: true },
  { why: "different quantities in one field", a: { sizeLimit: "1k" }, b: { sizeLimit: "1Ki" }, same: false },
  { why: "strings that look like quantities", a: { name: "1" }, b: { name: "1000m" }, same: false },
  { why: "a quantity and a map", a: { divisor: "1" }, b: { divisor: { a: "1" } }, same: false },
  { why: "an empty map of labels and undefined", a: {}, b: undefined, field: "labels", same: true },
  { why: "an empty map without a field name", a: {}, b: undefined, same: false },
  { why: "inherited properties do not count", a: {}, b: { constructor: "x" }, same: false }
]

describe("semantic equality of two values", () => {
  it.each(rows)("holds or not: $why", ({ a, b, same, field }) => {
    const isEqual = (one: unknown, other: unknown): boolean =>
      field === undefined ? isSemanticallyEqual(one, other) : isFieldSemanticallyEqual(field, one, other)
    expect([isEqual(a, b), isEqual(b, a)]).toEqual([same, same])
  })

  it.each([
    { value: "1500m", text: '"1500000000n"' },
    { value: 1.5, text: '"1500000000n"' },
    { value: "much", text: '"much"' },
    { value: { a: 1 }, text: '{"a":1}' },
    { value: ["1500m"], text: '["1500m"]' },
    { value: true, text: "true" }
  ])("compares the quantity $value as $text", ({ value, text }) => {
    expect(canonicalQuantityText(value)).toBe(text)
  })

  it.each([
    { field: "labels", value: {}, isEmpty: true },
    { field: "securityContext", value: {}, isEmpty: false },
    { field: "labels", value: "", isEmpty: false },
    { field: "args", value: [0], isEmpty: false }
  ])("takes $value in $field for empty: $isEmpty", ({ field, value, isEmpty }) => {
    expect(isEmptyValue(field, value)).toBe(isEmpty)
  })
})

describe("two versions of an object are stored alike", () => {
  it.each([
    { why: "with an empty and a missing list", a: { args: [] }, b: {}, alike: true },
    { why: "not with quantities in two units", a: { limits: { cpu: "1" } }, b: { limits: { cpu: "1000m" } } },
    { why: "not with sizes in two units", a: { sizeLimit: "1Gi" }, b: { sizeLimit: "1024Mi" } }
  ])("$why", ({ a, b, alike = false }) => {
    expect(isEqualAsStored(a, b)).toBe(alike)
    expect(isSemanticallyEqual(a, b)).toBe(true)
  })
})
