import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { withMismatch } from "./errorNotes.ts"

export interface RunningTest {
  readonly signal: AbortSignal
  /** Shows what the test was waiting for, in its failure if possible. */
  readonly report: (mismatches: ReadonlyArray<Mismatch>) => void
}

/** The last error of a waiting assertion. The promise never rejects. */
export type Mismatch = Error | Promise<Error>

/** Prints to standard error, for runners whose error cannot be extended. */
export const warnOfMismatches = (mismatches: ReadonlyArray<Mismatch>): void => {
  for (const mismatch of mismatches) void Promise.resolve(mismatch).then(warn)
}

const warn = (mismatch: Error): void => {
  process.emitWarning(`a test ended while it waited: ${errorText(mismatch)}`)
}

const findNodeTest = (): RunningTest | undefined => {
  const context = process.getBuiltinModule?.("node:test")?.getTestContext?.()
  if (context === undefined || !("signal" in context)) return undefined
  return {
    signal: context.signal,
    report: (mismatches) => {
      const failure = "error" in context ? context.error : undefined
      for (const mismatch of mismatches) {
        // The runner prints the error's cause after the signal's listeners have run.
        if (failure instanceof Error && mismatch instanceof Error) {
          failure.cause = withMismatch(causeError(failure.cause), mismatch)
        } else warnOfMismatches([mismatch])
      }
    }
  }
}

/** The runner would print the string cause of a timeout in one line. */
const causeError = (cause: unknown): Error => {
  if (cause instanceof Error) return cause
  const error = new Error(String(cause))
  error.stack = `Error: ${error.message}`
  return error
}

let findTest: () => RunningTest | undefined = findNodeTest

export const setTestFinder = (find: typeof findTest): void => {
  findTest = find
}

export const findRunningTest = (): RunningTest | undefined => findTest()
