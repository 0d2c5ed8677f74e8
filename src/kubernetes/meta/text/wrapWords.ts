export const wrapWords = (
  words: ReadonlyArray<string>,
  fits: (line: string) => boolean
): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of words) {
    const last = lines.at(-1)
    const longer = `${last} ${word}`
    if (last === undefined || !fits(longer)) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines
}
