const plainText = /^[ !#-[\]-~]*$/
const escapedCharacters = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v"
}

/** As Go's `%q`, which escapes more than JSON. Source: Go's strconv/quote.go (appendEscapedRune, IsPrint). */
export const goQuote = (text: string): string =>
  plainText.test(text) ? `"${text}"` : `"${text.toWellFormed().replace(escapedCharacters, escapeCharacter)}"`

const escapeCharacter = (character: string): string => {
  const short = shortEscapes[character]
  if (short !== undefined) return short
  const code = character.codePointAt(0) ?? 0
  const hex = code.toString(16)
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, "0")}`
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`
}

const utf8 = new TextEncoder()

/** As Go's package `time` quotes: characters beyond ASCII by their bytes. Source: Go's time/format.go (quote). */
export const goTimeQuote = (text: string): string =>
  plainText.test(text) ? `"${text}"` : `"${text.replace(/["\\]|[^ -\u007F]/gu, escapeBytes)}"`

const escapeBytes = (character: string): string => {
  if (character === '"' || character === "\\") return `\\${character}`
  return Array.from(utf8.encode(character), (byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("")
}
