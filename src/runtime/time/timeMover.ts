// Node's own timers, also in tests with fake global timers.
import { clearImmediate, setImmediate } from "node:timers"
import type { Timeline } from "./timeline.ts"

/** A call that waits for a condition, while time passes. */
export interface Waiter {
  /** Called before each move of the clock, with the time of the next timer, to which it moves. */
  readonly condition: (nextTimerMillis: number) => boolean
  readonly limitMillis: number
  /** Whether the condition need not be asked at the heartbeats of nodes. */
  readonly skipsHeartbeats: boolean
  /** `isMet`: whether the condition holds; false at the limit. */
  readonly finish: (isMet: boolean) => void
  readonly fail: (error: unknown) => void
  /** Called when the clock has begun to run by itself: the waiter then waits without moving it. */
  readonly followClock: () => void
}

/**
 * Moves a clock that does not run by itself, from timer to timer, for as long as calls wait. All waiters are checked at
 * every instant, so that the same program always runs alike. Time stands still while a program that was called back
 * acts.
 */
export interface TimeMover {
  /** Adds a waiter, which is checked whenever nothing is left to run at an instant. Returns how to remove it. */
  readonly addWaiter: (waiter: Waiter) => () => void
  /** Stops moving time, as while a call loads a module, until the returned function is called. */
  readonly pauseTime: () => () => void
}

/** Finishes a waiter whose condition holds. A throwing condition fails this waiter alone. */
export const checkWaiter = (waiter: Waiter, nextTimerMillis: number): void => {
  try {
    if (waiter.condition(nextTimerMillis)) waiter.finish(true)
  } catch (error) {
    waiter.fail(error)
  }
}

/** Finishes a waiter whose time is up. */
export const endWaiter = (waiter: Waiter, nowMillis: number): void => {
  try {
    waiter.finish(waiter.condition(nowMillis))
  } catch (error) {
    waiter.fail(error)
  }
}

/** Turns of the kernel (some 20 ms) per turn of the event loop. Counting them, unlike timing, is reproducible. */
const turnsPerEventLoopTurn = 2000

export const makeTimeMover = (timeline: Timeline): TimeMover => {
  const { kernel, userCode } = timeline
  const waiters = new Set<Waiter>()
  let pauses = 0
  /** Whether waiters were added or removed since time was moved last. */
  let hasChanged = false
  let immediate: NodeJS.Immediate | undefined

  const canMove = (): boolean =>
    pauses === 0 && timeline.pendingControllerImport() === undefined && !userCode.isBusy()
  const planMove = (): void => {
    if (waiters.size > 0 && canMove()) immediate ??= setImmediate(moveBriefly)
  }
  const removeWaiter = (waiter: Waiter): void => {
    if (!waiters.delete(waiter)) return
    hasChanged = true
    if (waiters.size > 0) return
    clearImmediate(immediate)
    immediate = undefined
  }
  /** Advances to the earliest limit. After a finished waiter its caller acts before time moves on. */
  const move = (): void => {
    hasChanged = false
    const turnsMax = kernel.turnsRun() + turnsPerEventLoopTurn
    const limitMillis = Math.min(...Array.from(waiters, (waiter) => waiter.limitMillis))
    const maySkipRepeatedTimers = Array.from(waiters).every((waiter) => waiter.skipsHeartbeats)
    const stop = (nextTimerMillis: number): boolean => {
      // Waiters are checked after the programs that are called back at this instant have acted.
      if (userCode.isBusy()) return true
      for (const waiter of waiters) checkWaiter(waiter, nextTimerMillis)
      return hasChanged || pauses > 0 || kernel.turnsRun() > turnsMax
    }
    const arrived = kernel.advanceTo(limitMillis, stop, { maySkipRepeatedTimers })
    if (!arrived) return
    for (const waiter of waiters) {
      if (waiter.limitMillis <= limitMillis) endWaiter(waiter, kernel.nowMillis())
    }
  }
  const moveBriefly = (): void => {
    immediate = undefined
    if (!canMove()) return
    const isRunning = timeline.speed() > 0
    try {
      if (!isRunning) move()
    } catch (error) {
      for (const waiter of waiters) waiter.fail(error)
    }
    if (isRunning) for (const waiter of waiters) waiter.followClock()
    planMove()
  }
  userCode.onIdle(planMove)

  return {
    addWaiter: (waiter) => {
      waiters.add(waiter)
      hasChanged = true
      planMove()
      return () => removeWaiter(waiter)
    },
    pauseTime: () => {
      pauses += 1
      const endImport = userCode.beginImport()
      return () => {
        pauses -= 1
        endImport()
        planMove()
      }
    }
  }
}
