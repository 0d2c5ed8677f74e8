import { randomUUID } from "node:crypto"
import { inspect, styleText } from "node:util"
import { escapeControls } from "../domain/escapeControls.ts"

/** The few colours that output has. */
export interface Palette {
  readonly good: Paint
  readonly bad: Paint
  readonly wait: Paint
  readonly dim: Paint
  readonly strong: Paint
}

type Paint = (text: string) => string

const unpainted: Paint = (text) => text

/** For pipes, files and tests. */
export const plainPalette: Palette = {
  good: unpainted,
  bad: unpainted,
  wait: unpainted,
  dim: unpainted,
  strong: unpainted
}

/**
 * Colours where the stream shows them: `styleText` asks the stream, NO_COLOR and FORCE_COLOR. Painted text is for
 * `terminalLine` alone, which makes colours of its marks.
 */
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

/**
 * A line as a terminal gets it: the palette's marks become colours, and whatever else is a control character is shown
 * and does nothing.
 */
export const terminalLine = (line: string): string =>
  line
    .split(marks)
    // The pattern has one group, so that text and codes take turns.
    .map((part, index) => (index % 2 === 0 ? escapeControls(part) : `\u{1B}[${part}m`))
    .join("")

/** New in each process and printed nowhere: text from outside cannot have a mark in it. */
const secret = randomUUID()
const markOf = (code: number): string => `\u{1B}${secret}[${code}m`
const marks = new RegExp(`\u{1B}${secret}\\[(\\d+)m`, "u")
