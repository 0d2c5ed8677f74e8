import { createLogUpdate } from "log-update"
import { isOutputBehind, writeUnwrittenLines } from "./terminal.ts"
import { colouredAndEscapedLine } from "./palette.ts"

export interface TerminalFrame {
  /** The terminal has not read earlier output, and would not show what is drawn now. */
  readonly isBehind: () => boolean
  readonly draw: (lines: ReadonlyArray<string>) => void
  readonly printAbove: (lines: ReadonlyArray<string>) => void
  readonly done: () => void
  /** Undefined if the terminal does not report its size. */
  readonly columns: () => number | undefined
  readonly rows: () => number | undefined
}

export const openTerminalFrame = (screen: NodeJS.WriteStream = process.stdout): TerminalFrame => {
  const update = createLogUpdate(screen)
  const textOf = (lines: ReadonlyArray<string>): string => lines.map(colouredAndEscapedLine).join("\n")
  const show = (render: (text: string) => void, lines: ReadonlyArray<string>): void => {
    if (isOutputBehind()) return
    writeUnwrittenLines()
    render(textOf(lines))
  }
  return {
    isBehind: isOutputBehind,
    draw: (lines) => show(update, lines),
    printAbove: (lines) => show((text) => update.persist(text), lines),
    done: () => update.done(),
    columns: () => positive(screen.columns),
    rows: () => positive(screen.rows)
  }
}

/** On standard error, if that is a terminal: a frame must not mix with a report. */
export const openErrorFrame = (screen: NodeJS.WriteStream = process.stderr): TerminalFrame | undefined =>
  screen.isTTY ? openTerminalFrame(screen) : undefined

const positive = (size: number): number | undefined => (size > 0 ? size : undefined)
