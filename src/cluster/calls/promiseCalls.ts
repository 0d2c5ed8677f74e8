import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"

/** The frames of the program that made a call: its errors point there, since the rest of their stack is our own. */
interface CallSite {
  readonly stack?: string
}

/** `call` is the function that the program has called; its own frames are left out. */
export const callSiteOf = (call: (...args: never) => unknown): CallSite => {
  const site: CallSite = {}
  // Only the engines of browsers other than Chromium lack it.
  Error.captureStackTrace?.(site, call)
  return site
}

const framesOf = (stack: string | undefined): ReadonlyArray<string> =>
  (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))

/** One error may reject many calls, as the reason of an AbortSignal does: it has the frames of the first. */
const errorsWithCallSite = new WeakSet<Error>()

/** An error that says what is wrong with the call needs no frames but the caller's; a defect keeps its own first. */
const withCallSite = (error: unknown, site: CallSite): unknown => {
  if (!(error instanceof Error) || errorsWithCallSite.has(error)) return error
  errorsWithCallSite.add(error)
  try {
    const ownFrames = "_tag" in error ? [] : framesOf(error.stack)
    const stack = [`${error.name}: ${error.message}`, ...ownFrames, ...framesOf(site.stack)].join("\n")
    Object.defineProperty(error, "stack", { value: stack, writable: true, configurable: true })
  } catch {
    // An error of a user's callback may be frozen, or throw when it is read: it is rejected with as it is.
  }
  return error
}

/** Runs an effect. A failure is thrown as itself, so that `catch` sees `NotFound` and no wrapper. */
export const runPromise = async <A, E>(effect: Effect.Effect<A, E>, site: CallSite): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw withCallSite(Cause.squash(exit.cause), site)
}

const iterate = <A, E>(stream: Stream.Stream<A, E>, site: CallSite): AsyncIterable<A> =>
  Stream.toAsyncIterable(Stream.mapError(stream, (error) => withCallSite(error, site) as E))

type PromiseOf<Result> =
  Result extends Effect.Effect<infer A, unknown>
    ? Promise<A>
    : Result extends Stream.Stream<infer A, unknown>
      ? AsyncIterable<A>
      : Result

/** A function that returns a promise for an Effect, and an async iterable for a Stream. */
export const promised = <Args extends ReadonlyArray<unknown>, Result>(
  call: (...args: Args) => Result
): ((...args: Args) => PromiseOf<Result>) => {
  const promising = (...args: Args): PromiseOf<Result> => {
    const site = callSiteOf(promising)
    const result: unknown = call(...args)
    return (
      Effect.isEffect(result)
        ? runPromise(result as Effect.Effect<unknown, unknown>, site)
        : Stream.isStream(result)
          ? iterate(result as Stream.Stream<unknown, unknown>, site)
          : result
    ) as PromiseOf<Result>
  }
  return promising
}

/** The same for each member of an object; a member that is an Effect becomes a function. */
export const promisedCalls = (calls: object): object =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]: [string, unknown]) => [
      name,
      Effect.isEffect(call)
        ? promised(() => call as Effect.Effect<unknown, unknown>)
        : typeof call === "function"
          ? promised(call as (...args: ReadonlyArray<unknown>) => unknown)
          : call
    ])
  )
