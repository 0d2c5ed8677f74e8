import { expect, it } from "vitest"
import { goQuote, goTimeQuote } from "../../../../src/kubernetes/meta/text/goQuote.ts"
import { invalidMessage, invalidField } from "../../../../src/kubernetes/validation/fieldErrors.ts"

it.each([
  ["", String.raw`""`],
  ["plain text", String.raw`"plain text"`],
  ['a"b\\c', String.raw`"a\"b\\c"`],
  ["\u0007\b\f\n\r\t\v", String.raw`"\a\b\f\n\r\t\v"`],
  ["\u0000\u001F\u007F", String.raw`"\x00\x1f\x7f"`],
  ["\u0080\u00A0\u00AD\u200B\u2028\uFEFF", String.raw`"\u0080\u00a0\u00ad\u200b\u2028\ufeff"`],
  ["é日本😀e\u0301", '"é日本😀e\u0301"'],
  ["\u{E0001}\u{10FFFF}", String.raw`"\U000e0001\U0010ffff"`],
  [" \u3000", String.raw`" \u3000"`],
  ["\uFFFD", '"\uFFFD"'],
  ["\uD800x", '"\uFFFDx"']
])("quotes as Go's %%q does: %j", (text, quoted) => {
  expect(goQuote(text)).toBe(quoted)
})

it.each([
  ["1h", String.raw`"1h"`],
  ['a"b\\c', String.raw`"a\"b\\c"`],
  ["1µ", String.raw`"1\xc2\xb5"`],
  ["\n😀", String.raw`"\x0a\xf0\x9f\x98\x80"`],
  ["\u007F", '"\u007F"'],
  ["\uFFFD", String.raw`"\xef\xbf\xbd"`]
])("quotes times as Go does: %j", (text, quoted) => {
  expect(goTimeQuote(text)).toBe(quoted)
})

it("is used for the values and names in an error", () => {
  const errors = [invalidField("spec.x", "a\u0001\u00A0", "must be printable")]
  expect(invalidMessage({ groupKind: "Pod", name: "web\u007F", errors })).toBe(
    String.raw`Pod "web\x7f" is invalid: spec.x: Invalid value: "a\x01\u00a0": must be printable`
  )
})
