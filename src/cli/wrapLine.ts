import { escapeControls } from "../domain/escapeControls.ts"
import { inLines } from "../domain/inLines.ts"

/** A sentence as lines of at most that many columns, cut between words; a word that is longer stands alone. */
export const wrapLine = (text: string, width: number): ReadonlyArray<string> =>
  inLines(escapeControls(text).split(" "), ({ length }) => length <= width)

/** How wide a terminal is, one column for the cursor; what is no terminal has no width. */
export const columnsOf = (screen: NodeJS.WriteStream): number =>
  screen.isTTY ? Math.max(columnsFewest, (screen.columns || columnsDefault) - 1) : Infinity

const columnsFewest = 40
const columnsDefault = 80
