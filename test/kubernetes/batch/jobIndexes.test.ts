import { describe, expect, it } from "vitest"
import { countIndexes } from "../../../src/kubernetes/batch/jobIndexes.ts"

describe("a list of indexes of a Job with 10 completions (TestValidateIndexesFormat)", () => {
  it.each([
    { why: "may be empty", text: "", result: 0 },
    { why: "has single indexes", text: "0,4,9", result: 3 },
    { why: "has rows", text: "0-2,4,6-9", result: 8 },
    { why: "ends below completions", text: "8-10", result: 'too large index: "10"' },
    { why: "begins below completions", text: "10", result: 'too large index: "10"' },
    { why: "names no index twice", text: "1,1", result: "non-increasing order, previous: 1, current: 1" },
    {
      why: "has rows that do not overlap",
      text: "1-3,3-5",
      result: "non-increasing order, previous: 3, current: 3"
    },
    { why: "has rows of two at least", text: "3-3", result: "non-increasing order, previous: 3, current: 3" },
    {
      why: "has a number behind each comma",
      text: "1,",
      result: 'cannot convert string to integer for index: ""'
    }
  ])("$why: $text", ({ text, result }) => {
    const found = countIndexes(text, 10)
    expect("count" in found ? found.count : found.problem).toBe(result)
  })
})
