import { describe, expect, it } from "vitest"
import { makeEventCorrelation } from "../../../../src/kubernetes/core/eventCorrelation.ts"
import { startMillis } from "../../../builders.ts"

const minuteMillis = 60_000

describe("events after a long pause", () => {
  it("are counted and combined from the start", () => {
    const { correlate } = makeEventCorrelation()
    const messageAfter = (message: string, minutes: number): string => {
      const it = { source: "kubelet web-1", typeAndReason: "Failed", fieldPath: "", message }
      const correlated = correlate(it, startMillis + minutes * minuteMillis)
      return correlated.type === "drop" ? "dropped" : correlated.message
    }
    messageAfter("first", 0)
    const later = Array.from({ length: 13 }, (_, index) => messageAfter(`m${index}`, 11 + index / 10))
    // An event before the pause does not count among the first ten.
    expect(later.slice(0, 9)).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"])
    expect(later.slice(9)).toEqual(
      ["m9", "m10", "m11", "m12"].map((message) => `(combined from similar events): ${message}`)
    )
  })
})
