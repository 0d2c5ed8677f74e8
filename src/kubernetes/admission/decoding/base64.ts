/**
 * Where Go's decoder reports bad base64; undefined for valid text. Line breaks are ignored. Source:
 * Go's encoding/base64 (StdEncoding).
 */
export const base64ErrorOffset = (text: string): number | undefined => {
  const end = text.search(/[^A-Za-z0-9+/\r\n]|$/)
  const remainder = withoutLineBreaks(text.slice(0, end)).length % 4
  if (end === text.length) return remainder === 0 ? undefined : end - remainder
  if (text[end] !== "=" || remainder < 2) return end
  if (remainder === 3) return offsetAfterPadding(text, end + 1)
  const second = skipLineEnds(text, end + 1)
  if (second === text.length) return second
  // Go reports a missing second `=` one character early.
  return text[second] === "=" ? offsetAfterPadding(text, second + 1) : second - 1
}

const offsetAfterPadding = (text: string, from: number): number | undefined => {
  const next = skipLineEnds(text, from)
  return next === text.length ? undefined : next
}

const skipLineEnds = (text: string, from: number): number => from + text.slice(from).search(/[^\r\n]|$/)

export const withoutLineBreaks = (text: string): string => text.replaceAll(/[\r\n]/g, "")
