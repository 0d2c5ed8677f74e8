import { expect, it } from "vitest"
import {
  escapeControls,
  escapeLines,
  joinEscapedLines
} from "../../../../src/kubernetes/meta/text/escapeControls.ts"

it.each([
  { text: "\u0000\u0007\u001B\u007F", shown: "^@^G^[^?" },
  { text: "a\r\n\tb", shown: String.raw`a\r\n\tb` },
  { text: "\u009B\u0085", shown: String.raw`\x9b\x85` },
  { text: "\u202E\u2069\u2028", shown: String.raw`\u202e\u2069\u2028` },
  { text: "\u05E9\u05DC\u05D5\u05DD ✔ 日本", shown: "\u05E9\u05DC\u05D5\u05DD ✔ 日本" }
])("shows a control character as $shown, and leaves that text alone", ({ text, shown }) => {
  expect([escapeControls(text), escapeControls(escapeControls(text))]).toEqual([shown, shown])
})

it("escapes newlines inside joined lines", () => {
  expect(joinEscapedLines(["a\nb", "c"])).toBe("a\\nb\nc")
  expect(escapeLines("a\u0007\nb")).toBe("a^G\nb")
})
