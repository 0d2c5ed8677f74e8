import type { ExitCode } from "./run.ts"

/** Says something beside the output that a program may be reading. */
export const complain = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** What was given is no good. */
export const refuse = (...lines: ReadonlyArray<string>): ExitCode => {
  for (const line of lines) complain(line)
  return 2
}
