import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ClusterClosed } from "./timeline.ts"
import { makeTimelineWaits, runOnTimeline } from "./timelineWaits.ts"
import type { Observers } from "../observers.ts"
import type { Timeline } from "./timeline.ts"
import type { TimelineWaits } from "./timelineWaits.ts"

/** Every call after `close` is a defect. */
export interface UserCalls {
  readonly checkOpen: () => void
  /** Rejected with an observer's error from before or during the effect. */
  readonly whileOpen: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly runNow: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  readonly endNow: (effect: Effect.Effect<void>) => Effect.Effect<void>
  readonly closedMillis: () => number | undefined
  /** The result is there before the controllers react to it. */
  readonly callNow: <Result>(callback: () => Result) => Result | Exit.Exit<never>
  /** False at the limit, by default a day from the call. `condition` gets the time of the next timer. */
  readonly until: (
    condition: (nextMillis: number) => boolean,
    limitMillis?: number,
    options?: UntilOptions
  ) => Effect.Effect<boolean>
  /** The caller acts before time moves on. */
  readonly sleep: (millis: number) => Effect.Effect<void>
  readonly inOrder: TimelineWaits["inOrder"]
  readonly whileLoading: TimelineWaits["whileLoading"]
  /** An observer's error does not reject this call. */
  readonly loadForClient: TimelineWaits["whileLoading"]
  readonly close: () => void
  readonly rejectObserverFailure: Effect.Effect<void>
}

export interface UntilOptions {
  /** The condition reads no time, so it need not be checked at the heartbeats of nodes. */
  readonly skipsHeartbeats?: boolean
}

const limitDefaultMillis = 86_400_000

export const makeUserCalls = (options: {
  readonly timeline: Timeline
  readonly timeMoved: () => void
  readonly observers: Pick<Observers, "takeFailure">
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
  const whileOpen: UserCalls["whileOpen"] = (effect) =>
    Effect.suspend(() => {
      checkOpen()
      userCode.noteCall()
      return Effect.andThen(
        rejectObserverFailure,
        Effect.tap(effect, () => {
          makeDurable?.()
          return rejectObserverFailure
        })
      )
    })
  const runNow: UserCalls["runNow"] = (effect) => whileOpen(runOnTimeline(timeline, effect))
  const until: UserCalls["until"] = (condition, limitMillis = limitDefaultMillis, options) => {
    const wait = Effect.suspend(() => {
      timeline.catchUp()
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
      timeline.catchUpOncePerTurn()
      return timeline.whileStill(callback)
    },
    until,
    sleep: (millis) =>
      Effect.suspend(() => {
        checkOpen()
        timeline.catchUp()
        const endMillis = kernel.nowMillis() + millis
        const cancel = timeline.callAfterControllers(endMillis, () => {})
        const slept = Effect.ensuring(
          until(() => kernel.nowMillis() >= endMillis, millis, { skipsHeartbeats: true }),
          Effect.sync(cancel)
        )
        return Effect.andThen(slept, Effect.sync(userCode.beginActing))
      }),
    inOrder: (effect) => whileOpen(waits.inOrder(whileOpen(effect))),
    whileLoading: (load) => whileOpen(waits.whileLoading(load)),
    loadForClient: waits.whileLoading,
    close: () => {
      isClosed = true
      userCode.close()
    }
  }
}
