import { expect, it } from "vitest"
import {
  escapeControls,
  escapeLines,
  joinEscapedLines
} from "../../src/kubernetes/meta/text/escapeControls.ts"

it.each([
  { text: "\u0000\u0007\u001B\u007F", as: "^@^G^[^?" },
  { text: "a\r\n\tb", as: String.raw`a\r\n\tb` },
  { text: "\u009B\u0085", as: String.raw`\x9b\x85` },
  { text: "\u202E\u2069\u2028", as: String.raw`\u202e\u2069\u2028` },
  { text: "\u05E9\u05DC\u05D5\u05DD ✔ 日本", as: "\u05E9\u05DC\u05D5\u05DD ✔ 日本" }
])("$as is how a control is shown, and it stays so when it is shown again", ({ text, as }) => {
  expect([escapeControls(text), escapeControls(escapeControls(text))]).toEqual([as, as])
})

it("every newline of joined lines ends one of them", () => {
  expect(joinEscapedLines(["a\nb", "c"])).toBe("a\\nb\nc")
  expect(escapeLines("a\u0007\nb")).toBe("a^G\nb")
})
