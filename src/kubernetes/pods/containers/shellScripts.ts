const shell = /^(?:\/(?:usr\/)?bin\/)?(?:ba|da|a)?sh$/u

export const isShell = (program: string): boolean => shell.test(program)

export const scriptOrCommand = (command: ReadonlyArray<string>): string =>
  shellScriptOf(command) ?? command.join(" ")

/** The script of a command such as `sh -ec SCRIPT` or `bash -o pipefail -c SCRIPT`. */
export const shellScriptOf = ([program = "", ...options]: ReadonlyArray<string>): string | undefined => {
  const commandIndex = options.findIndex((option) => /^-\w*c$/u.test(option))
  const areOptions = options
    .slice(0, Math.max(0, commandIndex))
    .every((option, index) => /^[-+]/u.test(option) || /^-\w*o$/u.test(options[index - 1] ?? ""))
  return isShell(program) && commandIndex !== -1 && areOptions ? (options[commandIndex + 1] ?? "") : undefined
}
