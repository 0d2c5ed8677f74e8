/**
 * Where Go's decoder reports bad base64; undefined for valid text. Line breaks are ignored. Source:
 * Go's encoding/base64 (StdEncoding).
 */
export const base64ErrorOffset = (text: string): number | undefined => {
  const alphabetEnd = text.search(/[^A-Za-z0-9+/\r\n]|$/)
  const lastGroupLength = withoutLineBreaks(text.slice(0, alphabetEnd)).length % 4
  if (alphabetEnd === text.length) return lastGroupLength === 0 ? undefined : alphabetEnd - lastGroupLength
  if (text[alphabetEnd] !== "=" || lastGroupLength < 2) return alphabetEnd
  if (lastGroupLength === 3) return offsetAfterPadding(text, alphabetEnd + 1)
  const secondPadding = skipLineEnds(text, alphabetEnd + 1)
  if (secondPadding === text.length) return secondPadding
  // Go reports a missing second `=` one character early.
  return text[secondPadding] === "=" ? offsetAfterPadding(text, secondPadding + 1) : secondPadding - 1
}

const offsetAfterPadding = (text: string, from: number): number | undefined => {
  const next = skipLineEnds(text, from)
  return next === text.length ? undefined : next
}

const skipLineEnds = (text: string, from: number): number => from + text.slice(from).search(/[^\r\n]|$/)

export const withoutLineBreaks = (text: string): string => text.replaceAll(/[\r\n]/g, "")
