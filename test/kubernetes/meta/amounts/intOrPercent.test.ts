import { describe, expect, it } from "vitest"
import { resolveIntOrPercent } from "../../../../src/kubernetes/meta/amounts/intOrPercent.ts"

describe("an IntOrString resolved against a total", () => {
  it.each([
    { why: "a number is itself", value: 7, total: 3, up: 7, down: 7 },
    { why: "an even percentage", value: "50%", total: 10, up: 5, down: 5 },
    { why: "25% of 3 is 0.75", value: "25%", total: 3, up: 1, down: 0 },
    { why: "39% of 10 is 3.9", value: "39%", total: 10, up: 4, down: 3 },
    {
      why: "7% of 100 is exactly 7, without a floating point error",
      value: "7%",
      total: 100,
      up: 7,
      down: 7
    },
    { why: "29% of 700 is exactly 203", value: "29%", total: 700, up: 203, down: 203 },
    { why: "above 100%", value: "130%", total: 7, up: 10, down: 9 },
    { why: "0%", value: "0%", total: 11, up: 0, down: 0 },
    { why: "a percentage of 0", value: "90%", total: 0, up: 0, down: 0 },
    { why: "a string that is no percentage counts as 0", value: "oops", total: 10, up: 0, down: 0 },
    { why: "a number in a string is no percentage", value: "5", total: 10, up: 0, down: 0 }
  ])("$value of $total is $up rounded up and $down rounded down: $why", ({ value, total, up, down }) => {
    expect(resolveIntOrPercent({ value, total, round: "up" })).toBe(up)
    expect(resolveIntOrPercent({ value, total, round: "down" })).toBe(down)
  })
})
