import { describe, expect, it } from "vitest"
import {
  formatSelector,
  matchesSelector,
  parseSelector,
  selectorProblem
} from "../../../src/kubernetes/meta/selectors/labelSelectors.ts"
import type { LabelSelectorRequirement } from "kubernetes-types/meta/v1.js"

const wants = (...matchExpressions: Array<LabelSelectorRequirement>) => ({ matchExpressions })

describe("a requirement that names no values", () => {
  it.each([
    { why: "there is nothing to be in", requirement: { key: "tier", operator: "In" }, matches: false },
    { why: "there is nothing not to be in", requirement: { key: "tier", operator: "NotIn" }, matches: true },
    { why: "there is no number to be above", requirement: { key: "load", operator: "Gt" }, matches: false },
    { why: "nor one to be below", requirement: { key: "load", operator: "Lt" }, matches: false },
    { why: "nobody knows this operator", requirement: { key: "tier", operator: "Like" }, matches: false }
  ])("$requirement.operator is $matches: $why", ({ requirement, matches }) => {
    expect(matchesSelector(wants(requirement), { tier: "front", load: "7" })).toBe(matches)
  })
})

describe("a selector by its operators", () => {
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
  ])("$requirement.operator $requirement.values has the problem $problem", ({ requirement, problem }) => {
    expect(selectorProblem(wants(requirement))).toBe(problem)
  })
})

describe("the text of a selector is in the order of its keys", () => {
  it("and leaves several requirements of one key in the order they came", () => {
    const selector = {
      matchLabels: { zone: "a", app: "web" },
      ...wants(
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

describe("a selector that says nothing", () => {
  it.each(["", " ", "   "])("'%s' matches everything", (text) => {
    expect(parseSelector(text)).toEqual({ matchExpressions: [] })
  })
})
