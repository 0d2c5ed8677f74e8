import { randomUUID } from "node:crypto"
import { inspect, styleText } from "node:util"
import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"

export interface Palette {
  readonly good: Paint
  readonly bad: Paint
  readonly wait: Paint
  readonly dim: Paint
  readonly strong: Paint
}

type Paint = (text: string) => string

const unpainted: Paint = (text) => text

export const plainPalette: Palette = {
  good: unpainted,
  bad: unpainted,
  wait: unpainted,
  dim: unpainted,
  strong: unpainted
}

/** Painted text has marks that only `colouredAndEscapedLine` turns into colours. */
export const paletteFor = (stream: NodeJS.WritableStream): Palette => {
  if (styleText("bold", "x", { stream }) === "x") return plainPalette
  const paint = (format: "green" | "red" | "yellow" | "dim" | "bold"): Paint => {
    const [begin, end] = inspect.colors[format] ?? [0, 0]
    return (text) => `${markOf(begin)}${text}${markOf(end)}`
  }
  return {
    good: paint("green"),
    bad: paint("red"),
    wait: paint("yellow"),
    dim: paint("dim"),
    strong: paint("bold")
  }
}

/** Turns marks into colours and escapes all other control characters. */
export const colouredAndEscapedLine = (line: string): string =>
  line
    .split(markPattern)
    // The odd parts are the colour codes.
    .map((part, index) => (index % 2 === 0 ? escapeControls(part) : `\u{1B}[${part}m`))
    .join("")

/** Random per process: text from objects cannot contain a mark. */
const markSecret = randomUUID()
const markOf = (code: number): string => `\u{1B}${markSecret}[${code}m`
const markPattern = new RegExp(`\u{1B}${markSecret}\\[(\\d+)m`, "u")
