import { describe, expect, it } from "vitest"
import { formatIndexSet, parseIndexSet } from "../../../../src/kubernetes/batch/jobs/indexSets.ts"

describe("a set of indexes in a Job's status (TestCalculateSucceededIndexes)", () => {
  it.each([
    { why: "is empty before the first Pod has succeeded", text: "", indexes: [] },
    { why: "may be one index", text: "0", indexes: [0] },
    { why: "names two in a row one by one", text: "3,4", indexes: [3, 4] },
    { why: "names three in a row by the first and the last", text: "3-5", indexes: [3, 4, 5] },
    {
      why: "has rows and single indexes side by side",
      text: "0,2-4,6,7,10-12",
      indexes: [0, 2, 3, 4, 6, 7, 10, 11, 12]
    },
    { why: "orders indexes as numbers", text: "2,10,100", indexes: [100, 10, 2] }
  ])("$why: $text", ({ text, indexes }) => {
    expect(formatIndexSet(new Set(indexes))).toBe(text)
    expect([...parseIndexSet(text)]).toEqual(indexes.toSorted((a, b) => a - b))
  })

  it("is empty where the status says nothing", () => {
    expect(parseIndexSet()).toEqual(new Set())
  })
})
