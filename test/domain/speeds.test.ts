import { expect, test } from "vitest"
import { parseClockSpeed } from "../../src/runtime/clockSpeed.ts"

test.each([
  { text: "60x", speed: 60, why: "a minute each second" },
  { text: "60", speed: 60, why: "the same" },
  { text: "0.5x", speed: 0.5, why: "slower than the machine" },
  { text: "1000000x", speed: 1_000_000, why: "as fast as may be asked for" },
  { text: "1000000.1x", speed: undefined, why: "faster than that" },
  { text: "0x", speed: undefined, why: "what stands still has no speed" },
  { text: "-1x", speed: undefined, why: "time does not go back" },
  { text: "x", speed: undefined, why: "no number" },
  { text: "60xx", speed: undefined, why: "one x is enough" },
  { text: "1e3x", speed: undefined, why: "no exponents" },
  { text: "", speed: undefined, why: "nothing" }
])("$text is $speed: $why", ({ text, speed }) => {
  expect(parseClockSpeed(text)).toBe(speed)
})
