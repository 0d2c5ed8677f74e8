import { errorText } from "../kubernetes/meta/text/errorText.ts"
import { withLastError } from "./errorNotes.ts"

export interface RunningTest {
  readonly signal: AbortSignal
  /** Shows what the test was waiting for, in its failure if possible. */
  readonly report: (lastErrors: ReadonlyArray<LastError>) => void
}

/** The last error of a waiting assertion. The promise never rejects. */
export type LastError = Error | Promise<Error>

/** Prints to standard error, for runners whose error cannot be extended. */
export const warnOfLastErrors = (lastErrors: ReadonlyArray<LastError>): void => {
  for (const lastError of lastErrors) void Promise.resolve(lastError).then(warn)
}

const warn = (lastError: Error): void => {
  process.emitWarning(`a test ended while it waited: ${errorText(lastError)}`)
}

const findNodeTest = (): RunningTest | undefined => {
  const context = process.getBuiltinModule?.("node:test")?.getTestContext?.()
  if (context === undefined || !("signal" in context)) return undefined
  return {
    signal: context.signal,
    report: (lastErrors) => {
      const failure = "error" in context ? context.error : undefined
      for (const lastError of lastErrors) {
        // The runner prints the error's cause after the signal's listeners have run.
        if (failure instanceof Error && lastError instanceof Error) {
          failure.cause = withLastError(causeError(failure.cause), lastError)
        } else warnOfLastErrors([lastError])
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
