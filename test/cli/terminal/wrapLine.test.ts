import { describe, expect, it } from "vitest"
import { wrapLine } from "../../../src/cli/terminal/wrapLine.ts"

describe("a sentence wrapped on a terminal", () => {
  it.each([
    { width: 11, lines: ["it waits", "for 3 Pods"], why: "words stay whole" },
    { width: 10, lines: ["it waits", "for 3 Pods"], why: "a line may have the terminal's width" },
    { width: 9, lines: ["it waits", "for 3", "Pods"], why: "a line is not wider than the terminal" },
    { width: 2, lines: ["it", "waits", "for", "3", "Pods"], why: "a long word has a line of its own" },
    { width: Infinity, lines: ["it waits for 3 Pods"], why: "output to a pipe is not wrapped" }
  ])("of $width columns is $lines: $why", ({ width, lines }) => {
    expect(wrapLine("it waits for 3 Pods", width)).toEqual(lines)
  })
})
