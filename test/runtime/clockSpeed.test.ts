import { expect, test } from "vitest"
import { parseClockSpeed } from "../../src/runtime/clockSpeed.ts"

test.each([
  { text: "60x", speed: 60, why: "a minute a second" },
  { text: "60", speed: 60, why: "the x is optional" },
  { text: "0.5x", speed: 0.5, why: "slower than real time" },
  { text: "1000000x", speed: 1_000_000, why: "the highest speed" },
  { text: "1000000.1x", speed: undefined, why: "above the highest speed" },
  { text: "0x", speed: undefined, why: "zero" },
  { text: "-1x", speed: undefined, why: "negative" },
  { text: "x", speed: undefined, why: "no number" },
  { text: "60xx", speed: undefined, why: "two letters x" },
  { text: "1e3x", speed: undefined, why: "an exponent" },
  { text: "", speed: undefined, why: "empty" }
])("parses '$text' as $speed: $why", ({ text, speed }) => {
  expect(parseClockSpeed(text)).toBe(speed)
})
