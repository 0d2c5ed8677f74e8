/** A sentence as lines of at most that many columns, cut between words; a word that is longer stands alone. */
export const wrapLine = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(" ")) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

/** How wide a terminal is, one column for the cursor; what is no terminal has no width. */
export const columnsOf = (screen: NodeJS.WriteStream): number =>
  screen.isTTY ? Math.max(columnsFewest, (screen.columns || columnsDefault) - 1) : Infinity

const columnsFewest = 40
const columnsDefault = 80
