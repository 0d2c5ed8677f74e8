import { inLines } from "../../domain/inLines.ts"

/**
 * About how wide a text is in a sans-serif font, in pixels: rather too much than too little, since which font it will
 * be shown in is not known when it is drawn.
 */
export const textWidth = (text: string, size: number): number =>
  Array.from(text).reduce((sum, char) => sum + (widths.get(char) ?? usual(char)), 0) * size

/** Cut between words into lines of about that width. */
export const wrapped = (text: string, width: number, size: number): ReadonlyArray<string> =>
  inLines(text.split(/\s+/), (line) => textWidth(line, size) <= width)

/** The same, with lines of about the same length: no word is left alone below. */
export const balanced = (text: string, width: number, size: number): ReadonlyArray<string> => {
  const most = wrapped(text, width, size)
  let best = most
  for (let narrower = width - size; narrower > 0; narrower -= size) {
    const lines = wrapped(text, narrower, size)
    if (lines.length > most.length) break
    best = lines
  }
  return best
}

/** In parts of the font's size, of DejaVu Sans, which is wider than most. */
const usual = (char: string): number => {
  if (/[A-Z]/.test(char)) return 0.7
  return char > "\u2e7f" ? 1 : 0.61
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
