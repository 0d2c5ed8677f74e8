import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ClusterClosed } from "./timeline.ts"
import { makeTimelineWaits, runOnTimeline, whenLoaded } from "./timelineWaits.ts"
import type { Observers } from "../observers.ts"
import type { Timeline } from "./timeline.ts"
import type { TimelineWaits } from "./timelineWaits.ts"

/** How calls of a cluster's users run on its timeline. Every call after `close` is a defect. */
export interface UserCalls {
  readonly checkOpen: () => void
  /** Runs the effect. Dies with an observer's error that was thrown before or meanwhile. */
  readonly whileOpen: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly runNow: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Runs an effect that ends something of the cluster. Closing the cluster ends it too: then this does nothing. */
  readonly endNow: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** The time at which the cluster's clock ended with `close`; undefined before. */
  readonly closedMillis: () => number | undefined
  /** Calls `callback` synchronously at the present instant: its result is there before the controllers react to it. */
  readonly callNow: <Result>(callback: () => Result) => Result | Exit.Exit<never>
  /**
   * Waits until `condition` returns true; false at the limit, which counts from the call and is a day by default.
   * `condition` is called before each move of a virtual clock, with the time of the next timer, to which it moves.
   */
  readonly until: (
    condition: (nextTimerMillis: number) => boolean,
    limitMillis?: number,
    options?: UntilOptions
  ) => Effect.Effect<boolean>
  /**
   * Waits for cluster time to pass. The program that has slept acts before time moves on, and before other calls
   * that end at the same instant return.
   */
  readonly sleep: (millis: number) => Effect.Effect<void>
  /** Runs the effect after the effects of earlier calls. */
  readonly inOrder: TimelineWaits["inOrder"]
  /** Imports a module for a caller. Meanwhile, no other call moves a clock that stands still. */
  readonly importModule: TimelineWaits["importModule"]
  /** As `importModule`, for a client's request, which is not rejected with an observer's error. */
  readonly importForClientRequest: TimelineWaits["importModule"]
  readonly close: () => void
  /** Rejects the call that runs it, by a defect: an observer's error that no call has been rejected with yet. */
  readonly rejectObserverFailure: Effect.Effect<void>
}

export interface UntilOptions {
  /**
   * The condition reads no time. Then a period in which only heartbeats of nodes are due passes at once, without a
   * call of the condition.
   */
  readonly skipsHeartbeats?: boolean
}

/** A day. */
const limitDefaultMillis = 86_400_000

export const makeUserCalls = (options: {
  readonly timeline: Timeline
  /** Called when a wait has ended: time may have passed without a change. */
  readonly timeMoved: () => void
  /** Keeps the error that a listener of the cluster's user has thrown. */
  readonly observers: Pick<Observers, "takeFailure">
  /** Called before a call answers: makes durable what it has done, or throws. */
  readonly makeDurable?: (() => void) | undefined
}): UserCalls => {
  const { timeline, timeMoved, observers, makeDurable } = options
  const { kernel, userCode } = timeline
  const waits = makeTimelineWaits(timeline)
  let isClosed = false
  const checkOpen = (): void => {
    if (isClosed) throw new ClusterClosed()
  }
  const rejectObserverFailure = Effect.suspend(() => {
    const failure = observers.takeFailure()
    return failure === undefined ? Effect.void : Effect.die(failure.error)
  })
  const answer = (): Effect.Effect<void> => {
    makeDurable?.()
    return rejectObserverFailure
  }
  const whileOpen: UserCalls["whileOpen"] = (effect) =>
    Effect.suspend(() => {
      checkOpen()
      // A clock that stands still waits for a program that makes calls.
      userCode.countCall()
      const call = Effect.tap(effect, () => whenLoaded(timeline, answer))
      return whenLoaded(timeline, () => {
        checkOpen()
        return Effect.andThen(rejectObserverFailure, call)
      })
    })
  const runNow: UserCalls["runNow"] = (effect) => whileOpen(runOnTimeline(timeline, effect))
  const until: UserCalls["until"] = (condition, limitMillis = limitDefaultMillis, options) => {
    const wait = Effect.suspend(() => {
      timeline.runToPresent()
      return waits.until(condition, kernel.nowMillis() + limitMillis, options?.skipsHeartbeats === true)
    })
    return Effect.tap(whileOpen(wait), () => Effect.sync(timeMoved))
  }
  return {
    checkOpen,
    rejectObserverFailure,
    whileOpen,
    runNow,
    endNow: (effect) =>
      Effect.catchDefect(runNow(effect), (defect) =>
        defect instanceof ClusterClosed ? Effect.void : Effect.die(defect)
      ),
    closedMillis: () => (isClosed ? timeline.kernel.nowMillis() : undefined),
    callNow: (callback) => {
      if (isClosed) return Exit.die(new ClusterClosed())
      timeline.runToPresentOncePerTurn()
      return timeline.callBeforeControllers(callback)
    },
    until,
    sleep: (millis) =>
      Effect.suspend(() => {
        checkOpen()
        timeline.runToPresent()
        const endMillis = kernel.nowMillis() + millis
        const cancel = timeline.callAfterControllers(endMillis, () => {})
        const slept = Effect.ensuring(
          until(() => kernel.nowMillis() >= endMillis, millis, { skipsHeartbeats: true }),
          Effect.sync(cancel)
        )
        return Effect.andThen(slept, Effect.sync(userCode.beginActing))
      }),
    inOrder: (effect) => whileOpen(waits.inOrder(whileOpen(effect))),
    importModule: (load) => whileOpen(waits.importModule(load)),
    importForClientRequest: waits.importModule,
    close: () => {
      isClosed = true
      userCode.close()
    }
  }
}
