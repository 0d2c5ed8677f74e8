import { isBefore, TimerHeap } from "./timerHeap.ts"
import type { Timer, TimerPlace } from "./timerHeap.ts"

export interface SkipRule {
  readonly maySkip: () => boolean
  readonly skipped: (timers: number) => void
}

export interface TimerQueue {
  readonly singleTimers: TimerHeap
  readonly repeat: (place: TimerPlace, run: () => void, periodMillis: number) => Timer
  readonly next: () => Timer | undefined
  readonly remove: (timer: Timer) => void
  readonly clear: () => void
  readonly countBelow: (turnOrder: number) => number
  /** Moves the repeated timers on by whole periods before any other timer is due, as if each had run. */
  readonly skipRounds: (limitMillis: number) => void
  readonly setSkipRule: (rule: SkipRule) => void
}

/** Repeated timers do work whose repetition changes nothing that another timer sees. */
export const makeTimerQueue = (lastSequence: number | undefined): TimerQueue => {
  const singleTimers = new TimerHeap(lastSequence)
  const repeated = new TimerHeap()
  const heapOf = (timer: Timer): TimerHeap => (timer.periodMillis === undefined ? singleTimers : repeated)
  let rule: SkipRule | undefined

  return {
    singleTimers,
    repeat: (place, run, periodMillis) => repeated.addAt(place, run, periodMillis),
    next: () => {
      const [other, first] = [singleTimers.peek(), repeated.peek()]
      if (other === undefined || first === undefined) return other ?? first
      return isBefore(first, other) ? first : other
    },
    remove: (timer) => heapOf(timer).remove(timer),
    clear: () => {
      singleTimers.clear()
      repeated.clear()
    },
    countBelow: (turnOrder) => singleTimers.countBelow(turnOrder) + repeated.countBelow(turnOrder),
    skipRounds: (limitMillis) => {
      const endMillis = Math.min(limitMillis, singleTimers.peek()?.atMillis ?? Infinity)
      const first = repeated.peek()
      const periodMillis = first?.periodMillis ?? Infinity
      if (first === undefined || endMillis - first.atMillis < periodMillis || rule?.maySkip() !== true) return
      const all = repeated.all()
      if (all.some((timer) => timer.periodMillis !== periodMillis)) return
      const lastMillis = Math.max(...all.map(({ atMillis }) => atMillis))
      const rounds = Math.floor((endMillis - lastMillis) / periodMillis)
      if (rounds <= 0 || lastMillis - first.atMillis >= periodMillis) return
      const runs = rounds * all.length
      repeated.postpone(rounds * periodMillis, runs)
      singleTimers.takeSequence(runs)
      rule.skipped(runs)
    },
    setSkipRule: (newRule) => {
      rule = newRule
    }
  }
}
