/**
 * `--inspect deployment/web` becomes `--inspect --inspect-only deployment/web`: the parser has no flags with optional
 * values.
 */
export const expandInspectArgument = (commandArguments: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = commandArguments.indexOf("--")
  const isBeforeEndOfFlags = (index: number): boolean => end === -1 || index < end
  return commandArguments.flatMap((argument, index) => {
    if (!isBeforeEndOfFlags(index)) return [argument]
    if (argument.startsWith("--inspect=") && argument.includes("/")) {
      return ["--inspect", "--inspect-only", argument.slice("--inspect=".length)]
    }
    const next = commandArguments[index + 1]
    const hasValue =
      argument === "--inspect" && next !== undefined && !next.startsWith("-") && !isBoolean(next)
    return hasValue ? [argument, "--inspect-only"] : [argument]
  })
}

const isBoolean = (argument: string): boolean => argument === "true" || argument === "false"
