import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { withMismatch } from "./errorNotes.ts"

/** What is known of a test while a runner runs it. */
export interface RunningTest {
  /** Aborts when the runner ends the test, as at its timeout. */
  readonly signal: AbortSignal
  /** Tells what the test was waiting for when the signal aborted. A promise never rejects. */
  readonly report: (mismatches: ReadonlyArray<Mismatch>) => void
}

/** The last error of an assertion, or a promise of what a call waited for. */
export type Mismatch = Error | Promise<Error>

/** Prints it to standard error, for runners whose error cannot be extended. */
export const warnOfMismatches = (mismatches: ReadonlyArray<Mismatch>): void => {
  for (const mismatch of mismatches) void Promise.resolve(mismatch).then(warn)
}

const warn = (mismatch: Error): void => {
  process.emitWarning(`a test ended while it waited: ${errorText(mismatch)}`)
}

/** The test that node:test runs; undefined in other runners, and before Node 24. */
const findNodeTest = (): RunningTest | undefined => {
  const context = process.getBuiltinModule?.("node:test")?.getTestContext?.()
  if (context === undefined || !("signal" in context)) return undefined
  return {
    signal: context.signal,
    report: (mismatches) => {
      const failure = "error" in context ? context.error : undefined
      for (const mismatch of mismatches) {
        // The runner reports the cause of the error once the listeners of the signal have run.
        if (failure instanceof Error && mismatch instanceof Error) {
          failure.cause = withMismatch(causeError(failure.cause), mismatch)
        } else warnOfMismatches([mismatch])
      }
    }
  }
}

/** A timeout's cause is a text, which would be printed in one line. */
const causeError = (cause: unknown): Error => {
  if (cause instanceof Error) return cause
  const error = new Error(String(cause))
  error.stack = `Error: ${error.message}`
  return error
}

let findTest: () => RunningTest | undefined = findNodeTest

/** For the module of a runner that knows its tests. */
export const setRunner = (find: typeof findTest): void => {
  findTest = find
}

export const findRunningTest = (): RunningTest | undefined => findTest()
