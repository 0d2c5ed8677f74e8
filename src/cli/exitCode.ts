import { complain } from "./terminal.ts"

/**
 * 0: as wished, such as every rollout complete. 1: not so, such as a failed rollout or story. 2: the input was invalid.
 */
export type ExitCode = 0 | 1 | 2

/** Prints the lines to the standard error. Returns exit code 2. */
export const refuse = (...lines: ReadonlyArray<string>): ExitCode => {
  for (const line of lines) complain(line)
  return 2
}
