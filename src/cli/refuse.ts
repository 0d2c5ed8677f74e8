import { complain } from "./terminal.ts"
import type { ExitCode } from "./run.ts"

/** What was given is no good. */
export const refuse = (...lines: ReadonlyArray<string>): ExitCode => {
  for (const line of lines) complain(line)
  return 2
}
