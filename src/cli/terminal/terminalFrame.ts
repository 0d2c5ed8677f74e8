import { createLogUpdate } from "log-update"
import { isOutputBehind, writeUnwrittenLines } from "./terminal.ts"
import { terminalLine } from "./palette.ts"

export interface TerminalFrame {
  /** Whether what is drawn now would not be shown, since the terminal has not read what came before. */
  readonly isBehind: () => boolean
  readonly draw: (lines: ReadonlyArray<string>) => void
  /** Prints lines above the frame, where they stay. */
  readonly printAbove: (lines: ReadonlyArray<string>) => void
  /** Leaves the last frame where it is. */
  readonly done: () => void
  /** Undefined if the terminal does not report its size. */
  readonly columns: () => number | undefined
  readonly rows: () => number | undefined
}

export const openTerminalFrame = (screen: NodeJS.WriteStream = process.stdout): TerminalFrame => {
  const update = createLogUpdate(screen)
  const textOf = (lines: ReadonlyArray<string>): string => lines.map(terminalLine).join("\n")
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

/** On the standard error, if that is a terminal: what is drawn there never mixes with a report. */
export const openErrorFrame = (screen: NodeJS.WriteStream = process.stderr): TerminalFrame | undefined =>
  screen.isTTY ? openTerminalFrame(screen) : undefined

const positive = (size: number): number | undefined => (size > 0 ? size : undefined)
