import { describe, expect, it } from "vitest"
import {
  isEmptyValue,
  isSameValue,
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
  { why: "no list and an empty one", a: { args: [] }, b: {}, same: true },
  { why: "an empty list and null", a: { args: [] }, b: { args: null }, same: true },
  { why: "no list and one of something", a: {}, b: { args: ["x"] }, same: false },
  { why: "no map and an empty one", a: { labels: {} }, b: {}, same: true },
  { why: "no map and one of something", a: { labels: { a: "" } }, b: {}, same: false },
  { why: "a struct that is there, though empty", a: { emptyDir: {} }, b: {}, same: false },
  { why: "the empty text is something", a: { image: "" }, b: {}, same: false },
  { why: "as is zero", a: { replicas: 0 }, b: {}, same: false },
  { why: "one more in a list", a: ["x"], b: ["x", "y"], same: false },
  { why: "one less in a list", a: ["x", "y"], b: ["x"], same: false },
  { why: "another at the end of a list", a: ["x", "y"], b: ["x", "z"], same: false },
  { why: "the same list in another order", a: ["x", "y"], b: ["y", "x"], same: false },
  { why: "nothing in a list is no end of it", a: ["x", []], b: ["x"], same: false },
  { why: "two lists of equal parts", a: [{ a: [] }], b: [{}], same: true },
  { why: "a list and a map with its places", a: ["x"], b: { 0: "x" }, same: false },
  { why: "though it looked like a list", a: ["x"], b: { 0: "x", length: 1 }, same: false },
  { why: "two lists are not two maps", a: [["x"]], b: [{ 0: "x" }], same: false },
  { why: "a map and a text", a: { a: "x" }, b: "x", same: false },
  { why: "a text and a map", a: "x", b: { a: "x" }, same: false },
  { why: "two texts", a: "1", b: "1.0", same: false },
  { why: "a number and its text", a: 1, b: "1", same: false },
  {
    why: "amounts in a map of them",
    a: { limits: { cpu: "1" } },
    b: { limits: { cpu: "1000m" } },
    same: true
  },
  { why: "more of it", a: { limits: { cpu: "1" } }, b: { limits: { cpu: "1001m" } }, same: false },
  {
    why: "one of two",
    a: { requests: { cpu: "1", memory: "1Gi" } },
    b: { requests: { cpu: "1", memory: "1024Mi" } },
    same: true
  },
  {
    why: "an amount of what the other has none of",
    a: { requests: { cpu: "1" } },
    b: { requests: { cpu: "1", memory: "1Gi" } },
    same: false
  },
  {
    why: "what is no amount is compared as it is",
    a: { limits: { cpu: "many" } },
    b: { limits: { cpu: "few" } },
    same: false
  },
  { why: "an amount as a number", a: { sizeLimit: 1024 }, b: { sizeLimit: "1Ki" }, same: true },
  { why: "an amount and another", a: { sizeLimit: "1k" }, b: { sizeLimit: "1Ki" }, same: false },
  { why: "texts that look like amounts", a: { name: "1" }, b: { name: "1000m" }, same: false },
  { why: "an amount and a map", a: { divisor: "1" }, b: { divisor: { a: "1" } }, same: false },
  { why: "a whole map that is none", a: {}, b: undefined, field: "labels", same: true },
  { why: "the map of no field", a: {}, b: undefined, same: false },
  { why: "what was inherited is not there", a: {}, b: { constructor: "x" }, same: false }
]

describe("two values are the same to Kubernetes", () => {
  it.each(rows)("or not: $why", ({ a, b, same, field = "" }) => {
    expect([isSameValue(a, b, field), isSameValue(b, a, field)]).toEqual([same, same])
  })

  it.each([
    { value: "1500m", text: '"1500000000n"' },
    { value: 1.5, text: '"1500000000n"' },
    { value: "much", text: '"much"' },
    { value: { a: 1 }, text: '{"a":1}' },
    { value: ["1500m"], text: '["1500m"]' },
    { value: true, text: "true" }
  ])("the amount $value reads $text, however it is written", ({ value, text }) => {
    expect(canonicalQuantityText(value)).toBe(text)
  })

  it.each([
    { field: "labels", value: {}, nothing: true },
    { field: "securityContext", value: {}, nothing: false },
    { field: "labels", value: "", nothing: false },
    { field: "args", value: [0], nothing: false }
  ])("$value in $field says nothing: $nothing", ({ field, value, nothing }) => {
    expect(isEmptyValue(field, value)).toBe(nothing)
  })
})
