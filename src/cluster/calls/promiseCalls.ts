import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { WatchFeed, iterateFeed } from "../../store/watch/watchFeed.ts"
import { letEventLoopTurn } from "../../runtime/time/userCode.ts"

/** Errors get the stack of the program's call, since their own stack is the library's. */
interface CallSite {
  readonly stack?: string
}

export const callSiteOf = (call: (...args: never) => unknown): CallSite => {
  const site: CallSite = {}
  // Browsers other than Chromium lack `captureStackTrace`.
  Error.captureStackTrace?.(site, call)
  return site
}

const framesOf = (stack: string | undefined): ReadonlyArray<string> =>
  (stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))

/** The reason of an AbortSignal may reject many calls: it keeps the first call site. */
const errorsWithCallSite = new WeakSet<Error>()

/** The folder of the library's sources or of `dist/src/packed`; in a program's bundle, the file of the bundle. */
export const libraryPathIn = (frame: string): string => {
  const [file = ""] = /(?:file:\/\/)?\/[^:]+/.exec(frame) ?? []
  const [folder] = /^.*\/(?=cluster\/calls\/promiseCalls\.[jt]s$)|^.*\/src\/packed\//.exec(file) ?? []
  return folder ?? file
}

/** Cached, since Node reads the whole packed file to find the lines of a stack. */
let ownPath: string | undefined

const libraryPath = (): string => (ownPath ??= libraryPathIn(framesOf(new Error().stack)[0] ?? ""))

/** An error from a callback of the program keeps the callback's frames first. */
const withCallSite = (error: unknown, site: CallSite): unknown => {
  if (!(error instanceof Error) || errorsWithCallSite.has(error)) return error
  errorsWithCallSite.add(error)
  try {
    const ownFrames = framesOf(error.stack)
    const isOfCallback = ownFrames[0]?.includes(libraryPath()) === false && !ownFrames[0].includes("node:")
    const callerFrames = framesOf(site.stack)
    // An error without `_tag` may be a defect, whose own frames are needed.
    const frames = isOfCallback
      ? [...ownFrames, ...callerFrames]
      : [...callerFrames, ...("_tag" in error ? [] : ownFrames)]
    const stack = [`${error.name}: ${error.message}`, ...frames].join("\n")
    Object.defineProperty(error, "stack", { value: stack, writable: true, configurable: true })
  } catch {
    // A callback's error may be frozen, or throw when it is read.
  }
  return error
}

/** A failure is thrown as itself, so that `catch` sees `NotFound` and no wrapper. */
export const runPromise = async <A, E>(effect: Effect.Effect<A, E>, site: CallSite): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  throw withCallSite(Cause.squash(exit.cause), site)
}

type PromiseOf<Result> =
  Result extends Effect.Effect<infer A, unknown>
    ? Promise<A>
    : Result extends WatchFeed<infer A, unknown>
      ? AsyncIterable<A>
      : Result

const callFromSite = <Args extends ReadonlyArray<unknown>>(
  site: CallSite,
  call: (...args: Args) => unknown,
  args: Args
): unknown => {
  try {
    return call(...args)
  } catch (error) {
    throw withCallSite(error, site)
  }
}

export interface PromiseCalls {
  readonly toPromiseCall: <Args extends ReadonlyArray<unknown>, Result>(
    call: (...args: Args) => Result
  ) => (...args: Args) => PromiseOf<Result>
  /** A member that is an Effect becomes a function. */
  readonly toPromiseCalls: (calls: object) => object
}

/** After so many calls the event loop turns once, so that the program's timers and sockets go on. */
const callsPerTurn = 100

/** Each cluster counts its own calls, so that equal programs have equal runs. */
export const makePromiseCalls = (): PromiseCalls => {
  let calls = 0
  const runInTurns = async <A, E>(effect: Effect.Effect<A, E>, site: CallSite): Promise<A> => {
    calls += 1
    if (calls % callsPerTurn === 0) await letEventLoopTurn()
    return runPromise(effect, site)
  }
  const toPromiseCall = <Args extends ReadonlyArray<unknown>, Result>(call: (...args: Args) => Result) => {
    const promiseCall = (...args: Args): PromiseOf<Result> => {
      const site = callSiteOf(promiseCall)
      const result = callFromSite(site, call, args)
      return (
        Effect.isEffect(result)
          ? runInTurns(result as Effect.Effect<unknown, unknown>, site)
          : result instanceof WatchFeed
            ? iterateFeed(result as WatchFeed<unknown, unknown>, (error) => withCallSite(error, site))
            : result
      ) as PromiseOf<Result>
    }
    return promiseCall
  }
  return {
    toPromiseCall,
    toPromiseCalls: (members) =>
      Object.fromEntries(
        Object.entries(members).map(([name, member]: [string, unknown]) => [
          name,
          Effect.isEffect(member)
            ? toPromiseCall(() => member as Effect.Effect<unknown, unknown>)
            : typeof member === "function"
              ? toPromiseCall(member as (...args: ReadonlyArray<unknown>) => unknown)
              : member
        ])
      )
  }
}
