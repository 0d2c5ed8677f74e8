// The machine's own, also where a test has put others in the place of the global ones.
import { clearImmediate, setImmediate } from "node:timers"
import type { Timeline } from "./timeline.ts"

/** Somebody who waits for something on a timeline. */
export interface Waiter {
  /** Is told before when nothing will happen, where time stands still. */
  readonly holds: (nextMillis: number) => boolean
  /** The moment at which waiting ends in any case. */
  readonly limitMillis: number
  readonly finish: (held: boolean) => void
  readonly fail: (error: unknown) => void
  /** Time has begun to go by itself: it need not be moved any more. */
  readonly standBy: () => void
}

/** Moves time that stands still, for all who wait for something: see the README of this folder. */
export interface Movement {
  /** Asks at every instant where nothing is left to do, whoever time is moved for. Returns how to stop. */
  readonly join: (waiter: Waiter) => () => void
  /** Time stands still until that is called which this returns, once. */
  readonly hold: () => () => void
}

/** Ends waiting where what it is for holds. Whatever somebody's predicate does, it does to that waiting alone. */
export const look = (waiter: Waiter, nextMillis: number, isOver: boolean): void => {
  try {
    const held = waiter.holds(nextMillis)
    if (held || isOver) waiter.finish(held)
  } catch (error) {
    waiter.fail(error)
  }
}

/**
 * How much is done before the machine's other work has a turn: some twenty milliseconds of it. It is counted and not
 * timed, or what came in between would come at another instant on another machine.
 */
const stretchTurns = 2000

export const makeMovement = (timeline: Timeline): Movement => {
  const { kernel } = timeline
  const waiters = new Set<Waiter>()
  let holding = 0
  /** Somebody has come or gone since time was moved last. */
  let hasChanged = false
  let planned: NodeJS.Immediate | undefined

  const plan = (): void => {
    if (waiters.size > 0 && holding === 0) planned ??= setImmediate(stretch)
  }
  const leave = (waiter: Waiter): void => {
    if (!waiters.delete(waiter)) return
    hasChanged = true
    if (waiters.size > 0) return
    clearImmediate(planned)
    planned = undefined
  }
  /** As far as the first of them wants; who is done has a turn of the event loop to act before time goes on. */
  const move = (): void => {
    hasChanged = false
    const turnsMax = kernel.turnsTaken() + stretchTurns
    const limitMillis = Math.min(...Array.from(waiters, (waiter) => waiter.limitMillis))
    const arrived = kernel.advanceTo(limitMillis, (nextMillis) => {
      for (const waiter of waiters) look(waiter, nextMillis, false)
      return hasChanged || holding > 0 || kernel.turnsTaken() > turnsMax
    })
    if (!arrived) return
    for (const waiter of waiters) {
      if (waiter.limitMillis <= limitMillis) look(waiter, kernel.nowMillis(), true)
    }
  }
  const stretch = (): void => {
    planned = undefined
    if (holding > 0) return
    const goesByItself = timeline.speed() > 0
    try {
      if (!goesByItself) move()
    } catch (error) {
      for (const waiter of waiters) waiter.fail(error)
    }
    if (goesByItself) for (const waiter of waiters) waiter.standBy()
    plan()
  }

  return {
    join: (waiter) => {
      waiters.add(waiter)
      hasChanged = true
      plan()
      return () => leave(waiter)
    },
    hold: () => {
      holding += 1
      return () => {
        holding -= 1
        plan()
      }
    }
  }
}
