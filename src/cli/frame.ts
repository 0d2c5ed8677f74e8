import { createLogUpdate } from "log-update"
import { isBehind } from "./terminal.ts"
import { terminalLine } from "./palette.ts"

/** Lines on a terminal that are drawn again and again in the same place. */
export interface Frame {
  /** Draws these lines in the place of those before. */
  readonly draw: (lines: ReadonlyArray<string>) => void
  /** Prints lines that stay, above the next frame. */
  readonly keep: (lines: ReadonlyArray<string>) => void
  /** Lets the last frame stay. */
  readonly done: () => void
  /** Undefined where the terminal does not say how large it is. */
  readonly columns: () => number | undefined
  readonly rows: () => number | undefined
}

/** Frames on the standard output, or on another terminal. */
export const openFrame = (screen: NodeJS.WriteStream = process.stdout): Frame => {
  const update = createLogUpdate(screen)
  const textOf = (lines: ReadonlyArray<string>): string => lines.map(terminalLine).join("\n")
  return {
    draw: (lines) => {
      if (!isBehind()) update(textOf(lines))
    },
    keep: (lines) => {
      if (!isBehind()) update.persist(textOf(lines))
    },
    done: () => update.done(),
    columns: () => positive(screen.columns),
    rows: () => positive(screen.rows)
  }
}

const positive = (size: number): number | undefined => (size > 0 ? size : undefined)
