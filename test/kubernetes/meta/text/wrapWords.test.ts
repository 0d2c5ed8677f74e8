import { expect, it } from "vitest"
import { wrapWords } from "../../../../src/kubernetes/meta/text/wrapWords.ts"

it.each([
  { why: "words that fit share a line", words: ["a", "b", "c"], width: 20, lines: ["a b c"] },
  {
    why: "a word that does not fit begins a line",
    words: ["ab", "cd", "ef"],
    width: 5,
    lines: ["ab cd", "ef"]
  },
  {
    why: "a word that fits nowhere has its own line",
    words: ["a", "abc", "b"],
    width: 2,
    lines: ["a", "abc", "b"]
  },
  { why: "no words are no lines", words: [], width: 5, lines: [] }
])("$why", ({ words, width, lines }) => {
  expect(wrapWords(words, (line) => line.length <= width)).toEqual(lines)
})
