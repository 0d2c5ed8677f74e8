/**
 * Where a text stops being base64, as Go's decoder counts: the first stray character, or the beginning of the
 * group of four that is not full. Undefined where there is nothing wrong. Ends of lines do not matter.
 *
 * Source: Go's encoding/base64 (StdEncoding).
 */
export const base64Flaw = (text: string): number | undefined => {
  const end = text.search(/[^A-Za-z0-9+/\r\n]|$/)
  const over = withoutLineEnds(text.slice(0, end)).length % 4
  if (end === text.length) return over === 0 ? undefined : end - over
  if (text[end] !== "=" || over < 2) return end
  if (over === 3) return strayFrom(text, end + 1)
  const second = pastLineEnds(text, end + 1)
  if (second === text.length) return second
  return text[second] === "=" ? strayFrom(text, second + 1) : second - 1
}

/** After the padding nothing follows. */
const strayFrom = (text: string, from: number): number | undefined => {
  const next = pastLineEnds(text, from)
  return next === text.length ? undefined : next
}

const pastLineEnds = (text: string, from: number): number => from + text.slice(from).search(/[^\r\n]|$/)

/** Base64 as it is stored, in one line. */
export const withoutLineEnds = (text: string): string => text.replaceAll(/[\r\n]/g, "")
