import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { logDefect } from "./logDefect.ts"

/** Wraps a user's callback, whose errors and rejected promises then stop nothing. Only the first is logged. */
export type ErrorCatcher = <Args extends ReadonlyArray<unknown>>(
  callback: (...args: Args) => unknown
) => (...args: Args) => void

export interface Observers {
  readonly catchErrorsOf: (name: string) => ErrorCatcher
  readonly takeFailure: () => ObserverFailure | undefined
}

interface ObserverFailure {
  readonly error: unknown
}

/** `keepsFailures`: calls of the cluster are rejected with the errors. */
export const makeObservers = ({ keepsFailures = true } = {}): Observers => {
  const failures: Array<ObserverFailure> = []
  const keepFailure = (error: unknown): void => void failures.push({ error })
  return {
    catchErrorsOf: (name) => makeErrorCatcher(name, keepsFailures ? keepFailure : undefined),
    takeFailure: () => failures.shift()
  }
}

export const makeErrorCatcher = (
  name: string,
  onFailure: (error: unknown) => void = () => {}
): ErrorCatcher => {
  let hasFailed = false
  const fail = (error: unknown): void => {
    if (hasFailed) return
    hasFailed = true
    onFailure(error)
    report(name, error)
  }
  return (callback) =>
    (...args) => {
      try {
        const result = callback(...args)
        if (isThenable(result)) Promise.resolve(result).catch(fail)
      } catch (error) {
        fail(error)
      }
    }
}

/** Also recognizes a promise of another realm or library. */
const isThenable = (result: unknown): result is PromiseLike<unknown> =>
  typeof result === "object" && result !== null && "then" in result

const report = (name: string, error: unknown): void => {
  const log = (cause: unknown): void =>
    Effect.runSync(logDefect(`${name} failed, and the cluster goes on`, Cause.die(cause)))
  try {
    log(error instanceof Error ? error : new Error(String(error)))
  } catch {
    log(new Error("the error cannot be shown"))
  }
}
