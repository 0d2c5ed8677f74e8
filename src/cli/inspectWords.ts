/**
 * What stands behind `--inspect` says who is inspected: `--inspect deployment/web` is `--inspect` with
 * `--inspect-only deployment/web`. A flag that may stand alone takes no value by itself.
 */
export const withInspected = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = words.indexOf("--")
  const isFlag = (index: number): boolean => end === -1 || index < end
  return words.flatMap((word, index) => {
    if (!isFlag(index)) return [word]
    if (word.startsWith("--inspect=") && word.includes("/")) {
      return ["--inspect", "--inspect-only", word.slice("--inspect=".length)]
    }
    const next = words[index + 1]
    const hasValue = word === "--inspect" && next !== undefined && !next.startsWith("-") && !isTruth(next)
    return hasValue ? [word, "--inspect-only"] : [word]
  })
}

const isTruth = (word: string): boolean => word === "true" || word === "false"
