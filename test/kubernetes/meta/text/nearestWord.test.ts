import { describe, expect, it } from "vitest"
import { nearestWord } from "../../../../src/kubernetes/meta/text/nearestWord.ts"

describe("the word nearest to a misspelt one", () => {
  it.each([
    { why: "has one more letter", word: "replica", words: ["replicas"], nearest: "replicas" },
    { why: "has one letter less", word: "replicass", words: ["replicas"], nearest: "replicas" },
    { why: "has another letter", word: "replixas", words: ["replicas"], nearest: "replicas" },
    { why: "may be in another case", word: "REPLICAS", words: ["replicas"], nearest: "replicas" },
    { why: "keeps its own case", word: "maxsurge", words: ["maxSurge"], nearest: "maxSurge" },
    { why: "is the nearest", word: "pods", words: ["pots", "pods", "nods"], nearest: "pods" },
    { why: "is the first of equally near ones", word: "pads", words: ["pods", "pats"], nearest: "pods" },
    { why: "is no farther than two letters of a short word", word: "abcd", words: ["abxy"], nearest: "abxy" },
    { why: "is not three letters from a short word", word: "abcd", words: ["axyz"], nearest: undefined },
    {
      why: "is not three letters longer than a short word",
      word: "ab",
      words: ["abcde"],
      nearest: undefined
    },
    { why: "is two letters longer than a short word", word: "ab", words: ["abcd"], nearest: "abcd" },
    {
      why: "may differ in a third of a long word",
      word: "abcdefghi",
      words: ["abcdefxyz"],
      nearest: "abcdefxyz"
    },
    { why: "rounds a third up", word: "abcdefghij", words: ["abcdefwxyz"], nearest: "abcdefwxyz" },
    { why: "does not differ in more", word: "abcdefghi", words: ["abcdewxyz"], nearest: undefined },
    { why: "is not three letters from a single one", word: "a", words: ["xyz"], nearest: undefined },
    { why: "needs candidates", word: "pods", words: [], nearest: undefined }
  ])("$why", ({ word, words, nearest }) => {
    expect(nearestWord(word, words)).toBe(nearest)
  })

  it.each([
    { why: "two swapped letters are one change", word: "ba", nearer: "ab", farther: "bxy" },
    { why: "swapped letters at the end are one change", word: "abdc", nearer: "abcd", farther: "abxy" },
    { why: "swapped letters in the middle are one change", word: "acbd", nearer: "abcd", farther: "axyd" },
    {
      why: "a swap and another letter are two changes",
      word: "abdcefghx",
      nearer: "abcdefghi",
      farther: "xyzcefghx"
    },
    { why: "a letter too many is one change", word: "abx", nearer: "ab", farther: "ayz" },
    { why: "a letter that moves to the front is no swap", word: "xb", nearer: "xbz", farther: "by" },
    { why: "a letter that moves to the back is no swap", word: "xb", nearer: "xbz", farther: "yx" },
    { why: "a letter that stands elsewhere is no swap", word: "abcab", nearer: "abcabx", farther: "bacba" }
  ])("$why", ({ word, nearer, farther }) => {
    expect(nearestWord(word, [farther, nearer])).toBe(nearer)
  })
})
