import { escapeControls } from "../../kubernetes/meta/text/escapeControls.ts"
import { wrapWords } from "../../kubernetes/meta/text/wrapWords.ts"

/** A word longer than `width` has its own line. */
export const wrapLine = (text: string, width: number): ReadonlyArray<string> =>
  wrapWords(escapeControls(text).split(" "), ({ length }) => length <= width)

/** The terminal's width less a column for the cursor; Infinity for other streams. */
export const terminalColumns = (screen: NodeJS.WriteStream): number =>
  screen.isTTY ? Math.max(columnsMin, (screen.columns || columnsDefault) - 1) : Infinity

const columnsMin = 40
const columnsDefault = 80
