import { promisify } from "node:util"
import { toTimeMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { makeClusterDate } from "./clusterDate.ts"
import { ProgramTimer } from "./programTimer.ts"
import { ClusterClosed } from "./timeline.ts"
import type { Observers } from "../observers.ts"
import type { RunAt } from "./programTimer.ts"
import type { Timeline } from "./timeline.ts"

/**
 * The timers and the time of a program, on a cluster's clock: to be injected in place of the global functions, whose
 * types they have. A callback runs at its instant, when the controllers have nothing left to do there.
 *
 * As with Node's timers, a delay below a millisecond, or that is no finite number, counts as a millisecond. Unlike
 * with Node's, a delay of more than 24.8 days is waited for. After `close` no timer runs, and setting one is no error.
 */
export interface ProgramTimers {
  readonly setTimeout: SetTimer & typeof setTimeout
  /** Clears a timer of `setTimeout` or `setInterval`, and ignores everything else. */
  readonly clearTimeout: typeof clearTimeout
  readonly setInterval: SetTimer & typeof setInterval
  readonly clearInterval: typeof clearInterval
  /** Gives the cluster's time where `Date` gives the machine's. */
  readonly Date: DateConstructor
  /** `now` returns the milliseconds since the cluster was opened. */
  readonly performance: { readonly now: () => number }
}

/** Unlike the global functions' callback, this one may return a promise, whose rejection goes to the observers. */
type SetTimer = <Args extends ReadonlyArray<unknown>>(
  callback: (...args: Args) => void | Promise<unknown>,
  delay?: number,
  ...args: Args
) => ReturnType<typeof setTimeout>

/**
 * Calls back at a time of the cluster: a Date, RFC 3339 text or Unix milliseconds. If the time has passed, it calls
 * back at the present instant, in a later turn of the event loop. Returns how to cancel. Throws `TypeError` for what is
 * no time, and `ClusterClosed` after `close`.
 */
export type CallAt = (time: Date | string | number, callback: () => unknown) => () => void

/** The last millisecond that a Date can hold. */
const dateMillisMax = 8_640_000_000_000_000

export const makeProgramTimers = (options: {
  readonly timeline: Timeline
  readonly observers: Pick<Observers, "catchErrorsOf">
  readonly isClosed: () => boolean
}): { readonly timers: ProgramTimers; readonly at: CallAt } => {
  const { timeline, observers, isClosed } = options
  const { kernel, userCode } = timeline
  const instantMillis = kernel.nowMillis
  const nowMillis = (): number => {
    if (timeline.speed() > 0) timeline.runToPresentOncePerTurn()
    return instantMillis()
  }
  const startMillis = instantMillis()
  const runAt: RunAt = (atMillis, run) => {
    if (isClosed()) return () => {}
    let isCancelled = false
    const offer = (): void =>
      userCode.run(() => {
        if (!isCancelled) run()
      })
    const cancelTimer =
      atMillis > nowMillis()
        ? timeline.callAfterControllers(Math.min(atMillis, dateMillisMax), offer)
        : offer()
    return () => {
      isCancelled = true
      cancelTimer?.()
    }
  }
  const pendingTimers = new Map<number, ProgramTimer>()
  let lastId = 0
  const makeTimer =
    (name: string, repeats: boolean) =>
    (callback: unknown, delay?: unknown, ...args: ReadonlyArray<unknown>): ProgramTimer => {
      requireFunction(callback)
      lastId += 1
      return new ProgramTimer({
        id: lastId,
        callBack: observers.catchErrorsOf(`the callback of ${name}`)((timer: ProgramTimer) =>
          Reflect.apply(callback, timer, args)
        ),
        delayMillis: toDelayMillis(delay),
        repeats,
        nowMillis,
        instantMillis,
        runAt,
        pendingTimers
      })
    }
  const setTimer = makeTimer("timers.setTimeout", false)
  const sleepAndReturn = (delay?: unknown, value?: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      setTimer(() => resolve(value), delay)
    })
  const clear = (timerOrId: unknown): void => {
    const isId = typeof timerOrId === "number" || typeof timerOrId === "string"
    const timer = isId ? pendingTimers.get(Number(timerOrId)) : timerOrId
    if (timer instanceof ProgramTimer) timer.close()
  }
  return {
    timers: {
      setTimeout: Object.assign(setTimer, {
        [promisify.custom]: sleepAndReturn
      }) as unknown as ProgramTimers["setTimeout"],
      clearTimeout: clear,
      setInterval: makeTimer("timers.setInterval", true),
      clearInterval: clear,
      Date: makeClusterDate(nowMillis),
      performance: { now: () => nowMillis() - startMillis }
    },
    at: (time, callback) => {
      requireFunction(callback)
      if (isClosed()) throw new ClusterClosed()
      return runAt(toTimeMillis(time), observers.catchErrorsOf("the callback of clock.at")(callback))
    }
  }
}

type Callback = (...args: ReadonlyArray<unknown>) => unknown

/** Throws what Node's `setTimeout` throws. */
function requireFunction(callback: unknown): asserts callback is Callback {
  if (typeof callback === "function") return
  const error = new TypeError(`The "callback" argument must be of type function. Received ${typeof callback}`)
  throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" })
}

const toDelayMillis = (delay: unknown): number => {
  const millis = Math.trunc(Number(delay))
  return millis >= 1 && Number.isFinite(millis) ? millis : 1
}
