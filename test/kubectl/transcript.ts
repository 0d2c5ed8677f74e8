/**
 * A story as a terminal shows it. `$ ` begins a command, `> ` continues it. Its output follows: standard output,
 * standard error with `! ` before each line, then `[exit 1]` if it failed. Lines with `#` after an empty line are
 * comments.
 */
interface Step {
  readonly comment: ReadonlyArray<string>
  /** Empty if the story ends with a comment. */
  readonly command: ReadonlyArray<string>
  readonly output: string
}

export const readTranscript = (text: string): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  let comment: Array<string> = []
  let command: Array<string> = []
  let output: Array<string> = []
  const end = (): void => {
    if (command.length > 0) steps.push({ comment, command, output: output.join("\n").trimEnd() })
    if (command.length > 0) comment = []
    command = []
    output = []
  }
  let before = ""
  for (const line of text.trimEnd().split("\n")) {
    const begins = line.startsWith("$ ")
    if (begins || (line.startsWith("#") && before === "")) end()
    before = line
    if (begins) command.push(line.slice(2))
    else if (line.startsWith("> ") && output.length === 0 && command.length > 0) command.push(line.slice(2))
    else if (command.length > 0) output.push(line)
    else comment.push(line)
  }
  end()
  return steps
}

export const writeTranscript = (steps: ReadonlyArray<Step>): string =>
  steps
    .map(({ comment, command, output }) => {
      const typed = command.map((line, index) => `${index === 0 ? "$" : ">"} ${line}`)
      return [...comment, ...typed, ...(output === "" ? [] : [output]), ""].join("\n")
    })
    .join("\n")
