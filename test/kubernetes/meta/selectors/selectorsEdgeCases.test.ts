import { describe, expect, it } from "vitest"
import {
  formatSelector,
  goTextOfSelector,
  matchesSelector,
  parseSelector,
  selectorProblem
} from "../../../../src/kubernetes/meta/selectors/labelSelectors.ts"
import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.js"

const requiring = (...matchExpressions: Array<LabelSelectorRequirement>) => ({ matchExpressions })

describe("a requirement without values", () => {
  it.each([
    { why: "no value to be in", requirement: { key: "tier", operator: "In" }, matches: false },
    { why: "no value to be excluded from", requirement: { key: "tier", operator: "NotIn" }, matches: true },
    { why: "no number to exceed", requirement: { key: "load", operator: "Gt" }, matches: false },
    { why: "no number to stay below", requirement: { key: "load", operator: "Lt" }, matches: false },
    { why: "an unknown operator", requirement: { key: "tier", operator: "Like" }, matches: false }
  ])("matches with $requirement.operator: $matches, $why", ({ requirement, matches }) => {
    expect(matchesSelector(requiring(requirement), { tier: "front", load: "7" })).toBe(matches)
  })
})

describe("the problem of a requirement", () => {
  it.each([
    { requirement: { key: "tier", operator: "Exists" }, problem: undefined },
    { requirement: { key: "tier", operator: "DoesNotExist" }, problem: undefined },
    {
      requirement: { key: "tier", operator: "DoesNotExist", values: ["front"] },
      problem: "values of tier must be empty when operator is DoesNotExist"
    },
    {
      requirement: { key: "tier", operator: "Exists", values: ["front"] },
      problem: "values of tier must be empty when operator is Exists"
    },
    { requirement: { key: "tier", operator: "In", values: ["front"] }, problem: undefined },
    {
      requirement: { key: "tier", operator: "NotIn" },
      problem: "values of tier must be given when operator is NotIn"
    },
    {
      requirement: { key: "tier", operator: "Gt", values: ["5"] },
      problem: '"Gt" is not a valid label selector operator'
    }
  ])("of $requirement.operator $requirement.values is $problem", ({ requirement, problem }) => {
    expect(selectorProblem(requiring(requirement))).toBe(problem)
  })
})

describe("the text of a selector", () => {
  it("is sorted by key, and keeps the order of requirements of one key", () => {
    const selector = {
      matchLabels: { zone: "a", app: "web" },
      ...requiring(
        { key: "tier", operator: "Exists" },
        { key: "canary", operator: "DoesNotExist" },
        { key: "load", operator: "Lt", values: ["9"] },
        { key: "tier", operator: "In", values: ["front", "back"] },
        { key: "load", operator: "Gt", values: ["5"] }
      )
    }
    expect(formatSelector(selector)).toBe("app=web,!canary,load<9,load>5,tier,tier in (back,front),zone=a")
  })
})

describe("an empty selector text", () => {
  it.each(["", " ", "   "])("matches everything: '%s'", (text) => {
    expect(parseSelector(text)).toEqual({ matchExpressions: [] })
  })
})

/** As the generated `String` of metav1.LabelSelector: keys in order, no space between them. */
describe("the text of a selector in messages and tables", () => {
  const textOf = (labels: string, expressions = ""): string =>
    `&LabelSelector{MatchLabels:map[string]string{${labels}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`
  it.each([
    { why: "is nil without one", selector: undefined, text: "nil" },
    { why: "is empty for an empty one", selector: {}, text: textOf("") },
    {
      why: "orders labels that come in order",
      selector: { matchLabels: { a: "1", b: "2" } },
      text: textOf("a: 1,b: 2,")
    },
    {
      why: "orders labels that do not",
      selector: { matchLabels: { b: "2", c: "3", a: "1" } },
      text: textOf("a: 1,b: 2,c: 3,")
    },
    {
      why: "leaves expressions in their order",
      selector: {
        matchExpressions: [
          { key: "tier", operator: "In", values: ["b", "a"] },
          { key: "app", operator: "Exists" }
        ]
      },
      text: textOf(
        "",
        "LabelSelectorRequirement{Key:tier,Operator:In,Values:[b a],}," +
          "LabelSelectorRequirement{Key:app,Operator:Exists,Values:[],},"
      )
    }
  ])("$why", ({ selector, text }) => {
    expect(goTextOfSelector(selector)).toBe(text)
  })
})
