import { execFile } from "node:child_process"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { TaggedError } from "effect/Data"
import { systemErrorText } from "../../platform/systemErrorText.ts"

export interface Invocation {
  readonly program: string
  readonly args: ReadonlyArray<string>
  /** Must exist: Node reports a missing folder as a missing program. */
  readonly folder?: string
  readonly variables?: Readonly<Record<string, string>>
}

export class ProgramFailed extends TaggedError("ProgramFailed")<{
  readonly isMissing: boolean
  /** The non-empty lines of the standard error, and why the program could not run or was stopped. */
  readonly lines: ReadonlyArray<string>
}> {}

/** Rendered Helm charts of whole platforms have a few megabytes. */
const outputBytesMax = 256 * 1024 * 1024

const run = promisify(execFile)

export const runForOutput = ({
  program,
  args,
  folder,
  variables
}: Invocation): Effect.Effect<string, ProgramFailed> =>
  Effect.tryPromise({
    try: async () => {
      const env = { ...process.env, ...variables }
      const { stdout } = await run(program, [...args], { cwd: folder, env, maxBuffer: outputBytesMax })
      return stdout
    },
    catch: (cause) =>
      new ProgramFailed({
        isMissing: cause instanceof Error && "code" in cause && cause.code === "ENOENT",
        lines: failureLines(cause)
      })
  })

const failureLines = (cause: unknown): ReadonlyArray<string> => {
  if (!(cause instanceof Error && "stderr" in cause && "code" in cause)) return [String(cause)]
  const lines = String(cause.stderr)
    .split("\n")
    .filter((line) => line.trim() !== "")
  if (typeof cause.code === "string") return [...lines, systemErrorText(cause)]
  return "signal" in cause && typeof cause.signal === "string"
    ? [...lines, `it was ended by ${cause.signal}`]
    : lines
}
