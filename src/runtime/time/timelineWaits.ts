import * as Effect from "effect/Effect"
import { outsideTurnOrder } from "./kernel.ts"
import { checkWaiter, endWaiter, makeTimeMover } from "./timeMover.ts"
import { ClusterClosed } from "./timeline.ts"
import type { TimeMover, Waiter } from "./timeMover.ts"
import type { Timeline } from "./timeline.ts"

/** Dies with `ClusterClosed` if the timeline is closed meanwhile. */
export const runOnTimeline = <A, E>(timeline: Timeline, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.callback((resume) => {
    const fiber = timeline.kernel.run(effect)
    const unsubscribe = timeline.onClose(() => resume(Effect.die(new ClusterClosed())))
    fiber.addObserver((exit) => {
      unsubscribe()
      resume(exit)
    })
    timeline.runToPresent()
    return Effect.sync(() => {
      unsubscribe()
      fiber.interruptUnsafe()
    })
  })

/** Calls `run` once nothing is being loaded for the controllers. */
export const whenLoaded = <A, E>(timeline: Timeline, run: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const loading = timeline.pendingControllerImport()
  return loading === undefined
    ? run()
    : Effect.flatMap(
        Effect.promise(() => loading),
        () => whenLoaded(timeline, run)
      )
}

export interface TimelineWaits {
  /** False at the limit. Errors, and closing the cluster, are defects. */
  readonly until: (
    condition: Waiter["condition"],
    limitMillis: number,
    skipsHeartbeats: boolean
  ) => Effect.Effect<boolean>
  readonly inOrder: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** While a module is imported, no other call moves a clock that stands still. */
  readonly importModule: <A>(load: () => Promise<A>) => Effect.Effect<A>
}

export const makeTimelineWaits = (timeline: Timeline): TimelineWaits => {
  const timeMover = makeTimeMover(timeline)
  return {
    until: (condition, limitMillis, skipsHeartbeats) =>
      Effect.callback((resume) =>
        wait({ timeline, timeMover, condition, limitMillis, skipsHeartbeats, resume })
      ),
    inOrder: makeSequence(),
    importModule: (load) =>
      Effect.suspend(() => {
        const resumeTime = timeMover.pauseTime()
        return Effect.ensuring(Effect.promise(load), Effect.sync(resumeTime))
      })
  }
}

interface Wait extends Pick<Waiter, "condition" | "limitMillis" | "skipsHeartbeats"> {
  readonly timeline: Timeline
  readonly timeMover: TimeMover
  readonly resume: (outcome: Effect.Effect<boolean>) => void
}

const wait = ({ timeline, timeMover, resume, ...waiting }: Wait): Effect.Effect<void> => {
  let isOver = false
  /** Stops the present wait; `replaceWait` sets it. */
  let stop = (): void => {}
  const replaceWait = (beginWait: () => () => void): void => {
    stop()
    stop = beginWait()
    if (isOver) stop()
  }
  const end = (outcome: Effect.Effect<boolean>): void => {
    if (isOver) return
    isOver = true
    stop()
    unsubscribe()
    resume(outcome)
  }
  const unsubscribe = timeline.onClose(() => end(Effect.die(new ClusterClosed())))
  const waiter: Waiter = {
    ...waiting,
    finish: (isMet) => end(Effect.succeed(isMet)),
    fail: (error) => end(Effect.die(error)),
    followClock: () => replaceWait(() => watchRunningClock(timeline, waiter))
  }
  if (timeline.speed() > 0) waiter.followClock()
  else replaceWait(() => timeMover.addWaiter(waiter))
  return Effect.sync(() => end(Effect.succeed(false)))
}

const watchRunningClock = ({ kernel, runToPresent }: Timeline, waiter: Waiter): (() => void) => {
  const unsubscribe = kernel.onQuiet(() => checkWaiter(waiter, kernel.nowMillis()))
  const remainingMillis = waiter.limitMillis - kernel.nowMillis()
  const limit = kernel.after(remainingMillis, outsideTurnOrder, () => endWaiter(waiter, kernel.nowMillis()))
  runToPresent()
  return () => {
    unsubscribe()
    kernel.cancel(limit)
  }
}

/** An interrupted effect does not block the others. */
const makeSequence = (): TimelineWaits["inOrder"] => {
  let last: Promise<unknown> = Promise.resolve()
  return (effect) =>
    Effect.suspend(() => {
      const previous = last
      const turn = Promise.withResolvers<void>()
      last = previous.then(() => turn.promise)
      return Effect.ensuring(
        Effect.andThen(
          Effect.promise(() => previous),
          effect
        ),
        Effect.sync(turn.resolve)
      )
    })
}
