import * as Effect from "effect/Effect"
import { outsideRank } from "./kernel.ts"
import { look, makeMovement } from "./movement.ts"
import { ClusterClosed } from "./timeline.ts"
import type { Movement, Waiter } from "./movement.ts"
import type { Timeline } from "./timeline.ts"

/** Runs an effect on a timeline, at its present instant; that it is closed meanwhile is a defect. */
export const runOn = <A, E>(timeline: Timeline, effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.callback((resume) => {
    const fiber = timeline.kernel.run(effect)
    const forget = timeline.onClose(() => resume(Effect.die(new ClusterClosed())))
    fiber.addObserver((exit) => {
      forget()
      resume(exit)
    })
    timeline.catchUp()
    return Effect.sync(() => {
      forget()
      fiber.interruptUnsafe()
    })
  })

/** Waits for what happens on a timeline, and moves its time where that stands still. */
export interface Waiting {
  /**
   * Waits until something holds, asked only at instants where nothing is left to do, at the most until a moment. Time
   * that stands still is moved as far as it must be, and no further; other time is waited for. Answers false when the
   * limit came first. A predicate that throws, and a cluster that is closed meanwhile, end the waiting as defects.
   */
  readonly until: (holds: Waiter["holds"], limitMillis: number) => Effect.Effect<boolean>
  /** One after another, in the order in which they were asked for. */
  readonly inTurn: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Waits for what must be loaded before somebody who has come can act; time that stands still does so meanwhile. */
  readonly loading: <A>(load: () => Promise<A>) => Effect.Effect<A>
}

export const makeWaiting = (timeline: Timeline): Waiting => {
  const movement = makeMovement(timeline)
  return {
    until: (holds, limitMillis) =>
      Effect.callback((resume) => wait({ timeline, movement, holds, limitMillis, resume })),
    inTurn: makeLine(),
    loading: (load) =>
      Effect.suspend(() => Effect.ensuring(Effect.promise(load), Effect.sync(movement.hold())))
  }
}

interface Wait extends Pick<Waiter, "holds" | "limitMillis"> {
  readonly timeline: Timeline
  readonly movement: Movement
  readonly resume: (outcome: Effect.Effect<boolean>) => void
}

const wait = ({ timeline, movement, resume, ...asked }: Wait): Effect.Effect<void> => {
  let over = false
  /** What is to be stopped in the end, which may have come already. */
  let stop = (): void => {}
  const begin = (next: () => () => void): void => {
    stop()
    stop = next()
    if (over) stop()
  }
  const end = (outcome: Effect.Effect<boolean>): void => {
    if (over) return
    over = true
    stop()
    forget()
    resume(outcome)
  }
  const forget = timeline.onClose(() => end(Effect.die(new ClusterClosed())))
  const waiter: Waiter = {
    ...asked,
    finish: (held) => end(Effect.succeed(held)),
    fail: (error) => end(Effect.die(error)),
    standBy: () => begin(() => standBy(timeline, waiter))
  }
  if (timeline.speed() > 0) waiter.standBy()
  else begin(() => movement.join(waiter))
  return Effect.sync(() => end(Effect.succeed(false)))
}

/** Looks whenever a timeline that moves by itself has come to rest. Returns how to stop. */
const standBy = ({ kernel, catchUp }: Timeline, waiter: Waiter): (() => void) => {
  const lookNow = (isOver: boolean): void => look(waiter, kernel.nowMillis(), isOver)
  const forget = kernel.onQuiet(() => lookNow(false))
  const left = waiter.limitMillis - kernel.nowMillis()
  // After everything else that is due at the limit.
  const limit = kernel.after(left, outsideRank, () => lookNow(true))
  catchUp()
  return () => {
    forget()
    kernel.cancel(limit)
  }
}

/** Lets effects in one at a time. Who goes away before it is let in holds up nobody. */
const makeLine = (): Waiting["inTurn"] => {
  let last: Promise<unknown> = Promise.resolve()
  return (effect) =>
    Effect.suspend(() => {
      const before = last
      const turn = Promise.withResolvers<void>()
      last = before.then(() => turn.promise)
      return Effect.ensuring(
        Effect.andThen(
          Effect.promise(() => before),
          effect
        ),
        Effect.sync(turn.resolve)
      )
    })
}
