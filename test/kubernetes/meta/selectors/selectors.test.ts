import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  formatSelector,
  isEmptySelector,
  matchesSelector,
  parseSelector,
  selectorProblem
} from "../../../../src/kubernetes/meta/selectors/labelSelectors.ts"
import { parseSelectorText } from "../../../../src/kubernetes/meta/selectors/labelSelectorText.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Labels } from "../../../../src/kubernetes/meta/objects.ts"

const requiring = (key: string, operator: string, ...values: ReadonlyArray<string>): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length === 0 ? {} : { values: [...values] }) }]
})

describe("matching labels", () => {
  it.each<{
    readonly why: string
    readonly selector: LabelSelector | undefined
    readonly labels?: Labels
    readonly matches: boolean
  }>([
    { why: "a missing selector matches nothing", selector: undefined, labels: { a: "1" }, matches: false },
    { why: "an empty selector matches everything", selector: {}, matches: true },
    {
      why: "all labels match",
      selector: { matchLabels: { a: "1" } },
      labels: { a: "1", b: "2" },
      matches: true
    },
    {
      why: "one label is missing",
      selector: { matchLabels: { a: "1", b: "2" } },
      labels: { a: "1" },
      matches: false
    },
    {
      why: "one label differs",
      selector: { matchLabels: { a: "1" } },
      labels: { a: "2" },
      matches: false
    },
    { why: "no labels at all", selector: { matchLabels: { a: "1" } }, matches: false },
    { why: "In with the value", selector: requiring("a", "In", "1", "2"), labels: { a: "2" }, matches: true },
    {
      why: "In without the value",
      selector: requiring("a", "In", "1", "2"),
      labels: { a: "3" },
      matches: false
    },
    { why: "In without the label", selector: requiring("a", "In", "1"), matches: false },
    { why: "NotIn without the label", selector: requiring("a", "NotIn", "1"), matches: true },
    {
      why: "NotIn with another value",
      selector: requiring("a", "NotIn", "1"),
      labels: { a: "2" },
      matches: true
    },
    {
      why: "NotIn with the value",
      selector: requiring("a", "NotIn", "1"),
      labels: { a: "1" },
      matches: false
    },
    { why: "Exists with any value", selector: requiring("a", "Exists"), labels: { a: "" }, matches: true },
    {
      why: "Exists without the label",
      selector: requiring("a", "Exists"),
      labels: { b: "" },
      matches: false
    },
    {
      why: "DoesNotExist without the label",
      selector: requiring("a", "DoesNotExist"),
      labels: { b: "" },
      matches: true
    },
    {
      why: "DoesNotExist with the label",
      selector: requiring("a", "DoesNotExist"),
      labels: { a: "" },
      matches: false
    },
    {
      why: "Exists for an inherited property",
      selector: requiring("constructor", "Exists"),
      labels: {},
      matches: false
    },
    {
      why: "DoesNotExist for an inherited property",
      selector: requiring("toString", "DoesNotExist"),
      labels: {},
      matches: true
    },
    {
      why: "an unknown operator",
      selector: requiring("a", "Near", "1"),
      labels: { a: "1" },
      matches: false
    },
    {
      why: "labels match, expressions do not",
      selector: { matchLabels: { a: "1" }, ...requiring("b", "Exists") },
      labels: { a: "1" },
      matches: false
    }
  ])("gives $matches: $why", ({ selector, labels, matches }) => {
    expect(matchesSelector(selector, labels)).toBe(matches)
  })

  it.each([
    { selector: {}, empty: true },
    { selector: { matchLabels: {}, matchExpressions: [] }, empty: true },
    { selector: { matchLabels: { a: "" } }, empty: false },
    { selector: requiring("a", "Exists"), empty: false }
  ])("takes $selector for empty: $empty", ({ selector, empty }) => {
    expect(isEmptySelector(selector)).toBe(empty)
  })
})

describe("the problem of a selector", () => {
  it.each([
    { selector: requiring("a", "In"), problem: "values of a must be given when operator is In" },
    { selector: requiring("a", "NotIn"), problem: "values of a must be given when operator is NotIn" },
    { selector: requiring("a", "Exists", "1"), problem: "values of a must be empty when operator is Exists" },
    { selector: requiring("a", "Gt", "1"), problem: '"Gt" is not a valid label selector operator' },
    { selector: requiring("a", "Near", "1"), problem: '"Near" is not a valid label selector operator' },
    { selector: requiring("a", "In", "1"), problem: undefined },
    { selector: { matchLabels: { a: "1" } }, problem: undefined }
  ])("of $selector is $problem", ({ selector, problem }) => {
    expect(selectorProblem(selector)).toBe(problem)
  })
})

describe("parsing a selector text", () => {
  it.each([
    { text: "", matches: ["", "a=1"], mismatches: [] },
    { text: "a=1", matches: ["a=1", "a=1,b=2"], mismatches: ["", "a=2"] },
    { text: "a==1", matches: ["a=1"], mismatches: ["a=2"] },
    { text: "a!=1", matches: ["", "a=2"], mismatches: ["a=1"] },
    { text: " a = 1 , b != 2 ", matches: ["a=1", "a=1,b=3"], mismatches: ["a=1,b=2"] },
    { text: "a in (1, 2),b", matches: ["a=1,b=", "a=2,b=7"], mismatches: ["a=1", "a=3,b="] },
    { text: "a notin (1,2)", matches: ["", "a=3"], mismatches: ["a=1"] },
    { text: "a>5", matches: ["a=6", "a=10"], mismatches: ["", "a=5", "a=x", "a="] },
    { text: "a < 1", matches: ["a=0"], mismatches: ["", "a=1", "a=7"] },
    { text: "!a", matches: ["", "b=1"], mismatches: ["a=1"] },
    { text: "a,!b", matches: ["a=1"], mismatches: ["a=1,b=1", ""] },
    { text: "a in ()", matches: ["a="], mismatches: ["", "a=1"] },
    { text: "a in (1,)", matches: ["a=", "a=1"], mismatches: ["", "a=2"] },
    { text: "a=", matches: ["a="], mismatches: ["", "a=1"] },
    { text: "example.com/tier in (front)", matches: ["example.com/tier=front"], mismatches: [""] }
  ])("matches '$text'", ({ text, matches, mismatches }) => {
    const selector = parseSelector(text)
    expect(selector).toBeDefined()
    for (const labels of matches) expect(matchesSelector(selector, labelsOf(labels))).toBe(true)
    for (const labels of mismatches) expect(matchesSelector(selector, labelsOf(labels))).toBe(false)
  })

  it.each(["a=1,", ",a", "a,,b", "a in 1", "a in (1", "=1", "a=1=2", "a b", "a>", "a>b", ">5", "!", "a=(1)"])(
    "rejects '%s'",
    (text) => {
      expect(parseSelector(text)).toBeUndefined()
    }
  )
})

describe("the error of a selector text", () => {
  it.each([
    { text: "a in b", problem: "unable to parse requirement: found 'b' expected: '('" },
    {
      text: "a in (c,b/)",
      problem:
        'unable to parse requirement: values[0][a]: Invalid value: "b/": ' +
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
        "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or " +
        "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
    },
    { text: "a in (b", problem: "unable to parse requirement: found '', expected: ',' or ')'" },
    { text: "a in", problem: "unable to parse requirement: found '' expected: '('" },
    {
      text: "a b",
      problem: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"
    },
    { text: "a=(b)", problem: "unable to parse requirement: found '(', expected: identifier" },
    { text: "a=b=c", problem: "found '=', expected: ',' or 'end of string'" },
    { text: "a,", problem: "found '', expected: identifier after ','" },
    { text: "!", problem: "unable to parse requirement: found '', expected: identifier" },
    { text: "!=a", problem: "found '!=', expected: !, identifier, or 'end of string'" },
    {
      text: "a in (!b)",
      problem: "unable to parse requirement: found '!', expected: ',', ')' or identifier"
    },
    { text: "a in (b,!c)", problem: "unable to parse requirement: found '!', expected: ',', or identifier" },
    { text: "a in (", problem: "unable to parse requirement: found '', expected: ',', ')' or identifier" },
    {
      text: "/a=b",
      problem: 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'
    },
    {
      text: `a=b${"c".repeat(63)}`,
      problem:
        `unable to parse requirement: values[0][a]: Invalid value: "b${"c".repeat(63)}": ` +
        "must be no more than 63 bytes"
    },
    {
      text: "a<b",
      problem:
        "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer"
    },
    { text: ",a", problem: "found ',', expected: !, identifier, or 'end of string'" },
    {
      text: "a>b",
      problem:
        "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer"
    }
  ])("'$text'", ({ text, problem }) => {
    expect(parseSelectorText(text)).toEqual({ ok: false, problem })
  })
})

const labelsOf = (text: string): Labels =>
  Object.fromEntries(text === "" ? [] : text.split(",").map((it) => it.split("=") as [string, string]))

describe("formatting a selector", () => {
  it.each<{ readonly selector: LabelSelector; readonly text: string }>([
    { selector: {}, text: "" },
    { selector: { matchLabels: { b: "2", a: "1" } }, text: "a=1,b=2" },
    { selector: { matchLabels: { b: "2" }, ...requiring("a", "In", "y", "x") }, text: "a in (x,y),b=2" },
    { selector: requiring("a", "NotIn", "x"), text: "a notin (x)" },
    { selector: requiring("a", "Exists"), text: "a" },
    { selector: requiring("a", "DoesNotExist"), text: "!a" },
    { selector: requiring("a", "Gt", "5"), text: "a>5" },
    { selector: requiring("a", "Lt", "5"), text: "a<5" }
  ])("gives '$text'", ({ selector, text }) => {
    expect(formatSelector(selector)).toBe(text)
  })
})

const seed = 20_260_506

describe(`laws of selectors (seed ${seed})`, () => {
  const key = fc.constantFrom("a", "b", "app", "x.io/t")
  const value = fc.constantFrom("", "1", "2", "v-3")
  const comparison = fc.record({
    key,
    operator: fc.constantFrom("Gt", "Lt"),
    values: fc.tuple(fc.constant("1"))
  })
  const requirement = fc.oneof(
    fc.record({
      key,
      operator: fc.constantFrom("In", "NotIn"),
      values: fc.uniqueArray(value, { minLength: 1, maxLength: 3 })
    }),
    fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist") }),
    comparison
  )
  const selectors = fc.record({
    matchLabels: fc.dictionary(key, value),
    matchExpressions: fc.array(requirement, { maxLength: 3 })
  })

  it("parses the formatted text as a selector that matches the same labels", () => {
    fc.assert(
      fc.property(selectors, fc.dictionary(key, value), (selector, labels) => {
        expect(matchesSelector(parseSelector(formatSelector(selector)), labels)).toBe(
          matchesSelector(selector, labels)
        )
      }),
      { seed, numRuns: 1_000 }
    )
  })
})
