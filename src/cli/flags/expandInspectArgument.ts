/**
 * Rewrites `--inspect deployment/web` to `--inspect --inspect-only deployment/web`, since a flag has either a value
 * always or never.
 */
export const expandInspectArgument = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = words.indexOf("--")
  const isBeforeEndOfFlags = (index: number): boolean => end === -1 || index < end
  return words.flatMap((word, index) => {
    if (!isBeforeEndOfFlags(index)) return [word]
    if (word.startsWith("--inspect=") && word.includes("/")) {
      return ["--inspect", "--inspect-only", word.slice("--inspect=".length)]
    }
    const next = words[index + 1]
    const hasValue = word === "--inspect" && next !== undefined && !next.startsWith("-") && !isBoolean(next)
    return hasValue ? [word, "--inspect-only"] : [word]
  })
}

const isBoolean = (word: string): boolean => word === "true" || word === "false"
