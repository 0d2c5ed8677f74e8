import { expect, it } from "vitest"
import { withoutStrategyName } from "../../../src/inspect/charts/chartNames.ts"

it.each([
  ["scaleUp", "scaleUp"],
  ["rollingUpdate.scaleUp", "scaleUp"],
  ["canary/step", "step"],
  ["not mine.a and b", "not a and b"],
  ["not (mine.a or (mine.b and c))", "not (a or (b and c))"]
])("names lose the strategy that they are registered under: %s", (name, expected) => {
  expect(withoutStrategyName(name)).toBe(expected)
})
