import { wrapWords } from "../../kubernetes/meta/text/wrapWords.ts"

/** Estimated pixels in a sans-serif font: the reader's font is not known. */
export const textWidth = (text: string, fontSize: number): number =>
  Array.from(text).reduce((sum, char) => sum + (widths.get(char) ?? defaultWidth(char)), 0) * fontSize

export const wrapText = (text: string, width: number, fontSize: number): ReadonlyArray<string> =>
  wrapWords(text.split(/\s+/), (line) => textWidth(line, fontSize) <= width)

/** Wraps a text into as many lines as `wrapText`, of similar length. */
export const balanceLines = (text: string, width: number, fontSize: number): ReadonlyArray<string> => {
  const atFullWidth = wrapText(text, width, fontSize)
  let best = atFullWidth
  for (let narrower = width - fontSize; narrower > 0; narrower -= fontSize) {
    const lines = wrapText(text, narrower, fontSize)
    if (lines.length > atFullWidth.length) break
    best = lines
  }
  return best
}

/** Relative to the font size, for DejaVu Sans, which is wide. */
const defaultWidth = (char: string): number => {
  if (/[A-Z]/.test(char)) return 0.7
  const isEastAsian = char > "\u2e7f"
  return isEastAsian ? 1 : 0.61
}

const widths: ReadonlyMap<string, number> = new Map(
  Object.entries({
    0.29: "ijlIJ'",
    0.33: " .,:;/|",
    0.4: "()[]frt!-",
    0.54: "szckvxy",
    0.82: "w",
    0.98: "mMW…—"
  }).flatMap(([width, chars]) => Array.from(chars, (char): [string, number] => [char, Number(width)]))
)
