import { printToStderr } from "./terminal.ts"

/** 0: success. 1: a rollout, story or check failed. 2: invalid input. */
export type ExitCode = 0 | 1 | 2

/** Returns the exit code of invalid input. */
export const refuseCommand = (...lines: ReadonlyArray<string>): ExitCode => {
  for (const line of lines) printToStderr(line)
  return 2
}
