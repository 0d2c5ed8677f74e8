import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  formatSelector,
  isEmptySelector,
  matchesSelector,
  parseSelector,
  selectorProblem
} from "../../src/kubernetes/meta/selectors/labelSelectors.ts"
import { parseSelectorText } from "../../src/kubernetes/meta/selectors/labelSelectorText.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Labels } from "../../src/kubernetes/meta/objects.ts"

const needs = (key: string, operator: string, ...values: ReadonlyArray<string>): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length === 0 ? {} : { values: [...values] }) }]
})

describe("a selector matches labels", () => {
  it.each<{
    readonly why: string
    readonly selector: LabelSelector | undefined
    readonly labels?: Labels
    readonly matches: boolean
  }>([
    { why: "a missing selector matches nothing", selector: undefined, labels: { a: "1" }, matches: false },
    { why: "an empty one everything", selector: {}, matches: true },
    {
      why: "all wanted labels are there",
      selector: { matchLabels: { a: "1" } },
      labels: { a: "1", b: "2" },
      matches: true
    },
    {
      why: "one is missing",
      selector: { matchLabels: { a: "1", b: "2" } },
      labels: { a: "1" },
      matches: false
    },
    {
      why: "one has another value",
      selector: { matchLabels: { a: "1" } },
      labels: { a: "2" },
      matches: false
    },
    { why: "no labels at all", selector: { matchLabels: { a: "1" } }, matches: false },
    { why: "In one of", selector: needs("a", "In", "1", "2"), labels: { a: "2" }, matches: true },
    { why: "In none of", selector: needs("a", "In", "1", "2"), labels: { a: "3" }, matches: false },
    { why: "In wants the label to be there", selector: needs("a", "In", "1"), matches: false },
    { why: "NotIn is content without the label", selector: needs("a", "NotIn", "1"), matches: true },
    {
      why: "NotIn with another value",
      selector: needs("a", "NotIn", "1"),
      labels: { a: "2" },
      matches: true
    },
    { why: "NotIn with that value", selector: needs("a", "NotIn", "1"), labels: { a: "1" }, matches: false },
    { why: "Exists, whatever the value", selector: needs("a", "Exists"), labels: { a: "" }, matches: true },
    { why: "Exists not", selector: needs("a", "Exists"), labels: { b: "" }, matches: false },
    { why: "DoesNotExist", selector: needs("a", "DoesNotExist"), labels: { b: "" }, matches: true },
    { why: "DoesNotExist but does", selector: needs("a", "DoesNotExist"), labels: { a: "" }, matches: false },
    {
      why: "a name that every object inherits is no label",
      selector: needs("constructor", "Exists"),
      labels: {},
      matches: false
    },
    {
      why: "nor is it there to be missed",
      selector: needs("toString", "DoesNotExist"),
      labels: {},
      matches: true
    },
    {
      why: "an operator that nobody knows matches nothing",
      selector: needs("a", "Near", "1"),
      labels: { a: "1" },
      matches: false
    },
    {
      why: "labels and expressions must both hold",
      selector: { matchLabels: { a: "1" }, ...needs("b", "Exists") },
      labels: { a: "1" },
      matches: false
    }
  ])("$matches: $why", ({ selector, labels, matches }) => {
    expect(matchesSelector(selector, labels)).toBe(matches)
  })

  it.each([
    { selector: {}, empty: true },
    { selector: { matchLabels: {}, matchExpressions: [] }, empty: true },
    { selector: { matchLabels: { a: "" } }, empty: false },
    { selector: needs("a", "Exists"), empty: false }
  ])("$selector is empty: $empty", ({ selector, empty }) => {
    expect(isEmptySelector(selector)).toBe(empty)
  })
})

describe("a selector that cannot be used says why", () => {
  it.each([
    { selector: needs("a", "In"), problem: "values of a must be given when operator is In" },
    { selector: needs("a", "NotIn"), problem: "values of a must be given when operator is NotIn" },
    { selector: needs("a", "Exists", "1"), problem: "values of a must be empty when operator is Exists" },
    { selector: needs("a", "Gt", "1"), problem: '"Gt" is not a valid label selector operator' },
    { selector: needs("a", "Near", "1"), problem: '"Near" is not a valid label selector operator' },
    { selector: needs("a", "In", "1"), problem: undefined },
    { selector: { matchLabels: { a: "1" } }, problem: undefined }
  ])("$selector: $problem", ({ selector, problem }) => {
    expect(selectorProblem(selector)).toBe(problem)
  })
})

describe("the text of a selector is read", () => {
  it.each([
    { text: "", matches: ["", "a=1"], not: [] },
    { text: "a=1", matches: ["a=1", "a=1,b=2"], not: ["", "a=2"] },
    { text: "a==1", matches: ["a=1"], not: ["a=2"] },
    { text: "a!=1", matches: ["", "a=2"], not: ["a=1"] },
    { text: " a = 1 , b != 2 ", matches: ["a=1", "a=1,b=3"], not: ["a=1,b=2"] },
    { text: "a in (1, 2),b", matches: ["a=1,b=", "a=2,b=7"], not: ["a=1", "a=3,b="] },
    { text: "a notin (1,2)", matches: ["", "a=3"], not: ["a=1"] },
    { text: "a>5", matches: ["a=6", "a=10"], not: ["", "a=5", "a=x", "a="] },
    { text: "a < 1", matches: ["a=0"], not: ["", "a=1", "a=7"] },
    { text: "!a", matches: ["", "b=1"], not: ["a=1"] },
    { text: "a,!b", matches: ["a=1"], not: ["a=1,b=1", ""] },
    { text: "a in ()", matches: ["a="], not: ["", "a=1"] },
    { text: "a in (1,)", matches: ["a=", "a=1"], not: ["", "a=2"] },
    { text: "a=", matches: ["a="], not: ["", "a=1"] },
    { text: "example.com/tier in (front)", matches: ["example.com/tier=front"], not: [""] }
  ])("'$text'", ({ text, matches, not }) => {
    const selector = parseSelector(text)
    expect(selector).toBeDefined()
    for (const labels of matches) expect(matchesSelector(selector, labelsOf(labels))).toBe(true)
    for (const labels of not) expect(matchesSelector(selector, labelsOf(labels))).toBe(false)
  })

  it.each(["a=1,", ",a", "a,,b", "a in 1", "a in (1", "=1", "a=1=2", "a b", "a>", "a>b", ">5", "!", "a=(1)"])(
    "'%s' is no selector",
    (text) => {
      expect(parseSelector(text)).toBeUndefined()
    }
  )
})

describe("the text of a selector that cannot be read says where", () => {
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

describe("the text of a selector is written in one way", () => {
  it.each<{ readonly selector: LabelSelector; readonly text: string }>([
    { selector: {}, text: "" },
    { selector: { matchLabels: { b: "2", a: "1" } }, text: "a=1,b=2" },
    { selector: { matchLabels: { b: "2" }, ...needs("a", "In", "y", "x") }, text: "a in (x,y),b=2" },
    { selector: needs("a", "NotIn", "x"), text: "a notin (x)" },
    { selector: needs("a", "Exists"), text: "a" },
    { selector: needs("a", "DoesNotExist"), text: "!a" },
    { selector: needs("a", "Gt", "5"), text: "a>5" },
    { selector: needs("a", "Lt", "5"), text: "a<5" }
  ])("'$text'", ({ selector, text }) => {
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

  it("what is written is read as a selector that matches the same labels", () => {
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
