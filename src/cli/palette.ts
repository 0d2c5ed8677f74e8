import { styleText } from "node:util"

/** The few colours that output has. All of them keep the text's width. */
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

/** Colours where the stream shows them: `styleText` asks the stream, NO_COLOR and FORCE_COLOR. */
export const paletteFor = (stream: NodeJS.WritableStream): Palette => {
  const paint =
    (format: "green" | "red" | "yellow" | "dim" | "bold"): Paint =>
    (text) =>
      styleText(format, text, { stream })
  return {
    good: paint("green"),
    bad: paint("red"),
    wait: paint("yellow"),
    dim: paint("dim"),
    strong: paint("bold")
  }
}
