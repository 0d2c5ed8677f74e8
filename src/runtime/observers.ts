import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { logDefect } from "./logDefect.ts"

/**
 * Wraps the callbacks of one observer, so that an error in any of them cannot end or hold up what it observes. The
 * first error is logged on stderr with its cause; the observer is called again at the next change. A callback may
 * return a promise; one that rejects counts as an error.
 */
export type Observer = <Seen extends ReadonlyArray<unknown>>(
  callback: (...seen: Seen) => unknown
) => (...seen: Seen) => void

/** The observers of one cluster. */
export interface Observers {
  /** Adds an observer. The name stands in the report: `onChange callback`. */
  readonly add: (name: string) => Observer
  /** Returns the first error that has not been taken yet, once; undefined where there is none. */
  readonly takeFailure: () => ObserverFailure | undefined
}

interface ObserverFailure {
  readonly error: unknown
}

export const makeObservers = (): Observers => {
  const failures: Array<ObserverFailure> = []
  return {
    add: (name) => makeObserver(name, (error) => failures.push({ error })),
    takeFailure: () => failures.shift()
  }
}

/** Makes an observer that belongs to no cluster. `onFailure` is called once, with the first error. */
export const makeObserver = (name: string, onFailure: (error: unknown) => void = () => {}): Observer => {
  let hasFailed = false
  const fail = (error: unknown): void => {
    if (hasFailed) return
    hasFailed = true
    report(name, error)
    onFailure(error)
  }
  return (callback) =>
    (...seen) => {
      try {
        const result = callback(...seen)
        if (result instanceof Promise) result.catch(fail)
      } catch (error) {
        fail(error)
      }
    }
}

const report = (name: string, error: unknown): void =>
  Effect.runSync(logDefect(`${name} failed, and is called again at the next change`, Cause.die(error)))
