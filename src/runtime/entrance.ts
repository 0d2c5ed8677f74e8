import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ClusterClosed } from "./timeline.ts"
import { makeWaiting, runOn } from "./waiting.ts"
import type { Observers } from "./observers.ts"
import type { Timeline } from "./timeline.ts"
import type { Waiting } from "./waiting.ts"

/** The way onto a timeline for whoever comes from outside: whatever is asked after it was closed is a defect. */
export interface Entrance {
  /** Throws `ClusterClosed` where it is closed: for whoever is answered at once. */
  readonly checkOpen: () => void
  readonly whileOpen: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Runs an effect at the present instant, and answers when it is over. */
  readonly here: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Acts at the present instant at once, and answers before anybody there has acted on it. */
  readonly enter: <Answer>(act: () => Answer) => Answer | Exit.Exit<never>
  /**
   * Lets time pass until something holds, asked only when nothing is left to do at an instant; where time stands still
   * unless it is moved, it is told before when nothing will happen.
   */
  readonly until: (holds: (nextMillis: number) => boolean, limitMillis?: number) => Effect.Effect<boolean>
  /** Moves by hand, one after another. */
  readonly inTurn: Waiting["inTurn"]
  readonly loading: Waiting["loading"]
  readonly close: () => void
  /** Dies with the error of an observer that no call was rejected with. */
  readonly rejectFailure: Effect.Effect<void>
}

/** The most of virtual time that anything is waited for when nobody says otherwise: a day. */
const limitDefaultMillis = 86_400_000

export const makeEntrance = (options: {
  readonly timeline: Timeline
  /** Told when somebody has waited, and time may have passed. */
  readonly timeMoved: () => void
  /** Calls are rejected with the failures that these keep. */
  readonly observers: Pick<Observers, "takeFailure">
}): Entrance => {
  const { timeline, timeMoved, observers } = options
  const waiting = makeWaiting(timeline)
  let isClosed = false
  const checkOpen = (): void => {
    if (isClosed) throw new ClusterClosed()
  }
  const rejectFailure = Effect.suspend(() => {
    const failure = observers.takeFailure()
    return failure === undefined ? Effect.void : Effect.die(failure.error)
  })
  const whileOpen: Entrance["whileOpen"] = (effect) =>
    Effect.suspend(() => {
      checkOpen()
      return Effect.andThen(
        rejectFailure,
        Effect.tap(effect, () => rejectFailure)
      )
    })
  return {
    checkOpen,
    rejectFailure,
    whileOpen,
    here: (effect) => whileOpen(runOn(timeline, effect)),
    enter: (act) => {
      if (isClosed) return Exit.die(new ClusterClosed())
      timeline.arrive()
      return act()
    },
    until: (holds, limitMillis = limitDefaultMillis) => {
      const wait = Effect.suspend(() => {
        // Where time goes by itself, the last thing may have happened a while ago.
        timeline.catchUp()
        return waiting.until(holds, timeline.kernel.nowMillis() + limitMillis)
      })
      return Effect.tap(whileOpen(wait), () => Effect.sync(timeMoved))
    },
    inTurn: (effect) => whileOpen(waiting.inTurn(whileOpen(effect))),
    loading: (load) => whileOpen(waiting.loading(load)),
    close: () => {
      isClosed = true
    }
  }
}
