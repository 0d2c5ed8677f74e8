import { createLogUpdate } from "log-update"
import { isOutputBehind } from "./terminal.ts"
import { terminalLine } from "./palette.ts"

/** Lines on a terminal that each draw replaces. */
export interface TerminalFrame {
  readonly draw: (lines: ReadonlyArray<string>) => void
  /** Prints lines above the frame, where they stay. */
  readonly printAbove: (lines: ReadonlyArray<string>) => void
  readonly done: () => void
  /** Undefined if the terminal does not report its size. */
  readonly columns: () => number | undefined
  readonly rows: () => number | undefined
}

export const openTerminalFrame = (screen: NodeJS.WriteStream = process.stdout): TerminalFrame => {
  const update = createLogUpdate(screen)
  const textOf = (lines: ReadonlyArray<string>): string => lines.map(terminalLine).join("\n")
  return {
    draw: (lines) => {
      if (!isOutputBehind()) update(textOf(lines))
    },
    printAbove: (lines) => {
      if (!isOutputBehind()) update.persist(textOf(lines))
    },
    done: () => update.done(),
    columns: () => positive(screen.columns),
    rows: () => positive(screen.rows)
  }
}

const positive = (size: number): number | undefined => (size > 0 ? size : undefined)
