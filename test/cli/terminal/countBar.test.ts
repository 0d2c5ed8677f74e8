import { expect, it } from "vitest"
import { countBar } from "../../../src/cli/terminal/countBar.ts"

it.each([
  { count: 15, total: 20, bar: "▇▇▇▆▁ 15/20" },
  { count: 0, total: 20, bar: "▁▁▁▁▁ 0/20" },
  { count: 1, total: 20, bar: "▃▁▁▁▁ 1/20" },
  { count: 20, total: 20, bar: "▇▇▇▇▇ 20/20" },
  // More than wanted, while it surges.
  { count: 25, total: 20, bar: "▇▇▇▇▇ 25/20" },
  { count: 0, total: 0, bar: "▁▁▁▁▁ 0/0" }
])("$count of $total are $bar", ({ count, total, bar }) => {
  expect(countBar(count, total)).toBe(bar)
})
