import { describe, expect, it } from "vitest"
import { wrapLine } from "../../src/cli/terminal/wrapLine.ts"

describe("a sentence on a narrow terminal", () => {
  it.each([
    { width: 11, lines: ["it waits", "for 3 Pods"], why: "words stay whole" },
    { width: 10, lines: ["it waits", "for 3 Pods"], why: "a line may be as wide as the terminal" },
    { width: 9, lines: ["it waits", "for 3", "Pods"], why: "and no wider" },
    { width: 2, lines: ["it", "waits", "for", "3", "Pods"], why: "a long word stands alone" },
    { width: Infinity, lines: ["it waits for 3 Pods"], why: "what is no terminal has no width" }
  ])("of $width columns is $lines: $why", ({ width, lines }) => {
    expect(wrapLine("it waits for 3 Pods", width)).toEqual(lines)
  })
})
