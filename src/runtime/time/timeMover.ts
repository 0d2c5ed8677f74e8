// Node's own timers, also in tests with fake global timers.
import { clearImmediate, setImmediate } from "node:timers"
import type { Timeline } from "./timeline.ts"

export interface Waiter {
  readonly condition: (nextMillis: number) => boolean
  readonly limitMillis: number
  readonly skipsHeartbeats: boolean
  readonly finish: (isMet: boolean) => void
  readonly fail: (error: unknown) => void
  /** Called when the clock has begun to run by itself. */
  readonly followClock: () => void
}

/** All waiters are checked at every instant, so that the same program always runs alike. */
export interface TimeMover {
  readonly addWaiter: (waiter: Waiter) => () => void
  readonly pauseTime: () => () => void
}

/** A throwing condition fails this waiter alone. */
export const checkWaiter = (waiter: Waiter, nextMillis: number, isOver: boolean): void => {
  try {
    const isMet = waiter.condition(nextMillis)
    if (isMet || isOver) waiter.finish(isMet)
  } catch (error) {
    waiter.fail(error)
  }
}

/** Some 20 ms. Counting turns, unlike timing, is reproducible. */
const turnsPerEventLoopTurn = 2000

export const makeTimeMover = (timeline: Timeline): TimeMover => {
  const { kernel, userCode } = timeline
  const waiters = new Set<Waiter>()
  let pauses = 0
  let hasChanged = false
  let immediate: NodeJS.Immediate | undefined

  const canMove = (): boolean => pauses === 0 && !userCode.isBusy()
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
  /** Stops after a finished waiter, whose caller acts before time moves on. */
  const move = (): void => {
    hasChanged = false
    const turnsMax = kernel.turnsRun() + turnsPerEventLoopTurn
    const limitMillis = Math.min(...Array.from(waiters, (waiter) => waiter.limitMillis))
    const maySkip = Array.from(waiters).every((waiter) => waiter.skipsHeartbeats)
    const stop = (nextMillis: number): boolean => {
      // Programs that are called back at the instant act before the waiters see it.
      if (userCode.isBusy()) return true
      for (const waiter of waiters) checkWaiter(waiter, nextMillis, false)
      return hasChanged || pauses > 0 || kernel.turnsRun() > turnsMax
    }
    const arrived = kernel.advanceTo(limitMillis, stop, { maySkip })
    if (!arrived) return
    for (const waiter of waiters) {
      if (waiter.limitMillis <= limitMillis) checkWaiter(waiter, kernel.nowMillis(), true)
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
      const endLoading = userCode.beginLoading()
      return () => {
        pauses -= 1
        endLoading()
        planMove()
      }
    }
  }
}
