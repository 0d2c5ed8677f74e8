import { isBefore, TimerHeap } from "./timerHeap.ts"
import type { Timer, TimerPlace } from "./timerHeap.ts"

/** Whether rounds of repeated timers may be skipped now. `onSkipped` gets the number of skipped runs. */
export interface RoundSkipRule {
  readonly maySkip: () => boolean
  readonly onSkipped: (runs: number) => void
}

/**
 * All timers of the kernel: single ones, and repeated ones that are set again whenever they run (nodes' heartbeats).
 */
export interface TimerQueue {
  readonly singleTimers: TimerHeap
  readonly repeat: (place: TimerPlace, run: () => void, periodMillis: number) => Timer
  readonly next: () => Timer | undefined
  readonly remove: (timer: Timer) => void
  readonly clear: () => void
  readonly countBelow: (turnOrder: number) => number
  /**
   * Moves the repeated timers on by as many whole periods as end by `limitMillis` and before any other timer is due.
   * Afterwards all timers have the places that they would have if each round had run.
   */
  readonly skipRounds: (limitMillis: number) => void
  readonly setRoundSkipRule: (rule: RoundSkipRule) => void
}

/** Each repeated timer runs once a period. Its further runs change nothing that another timer sees. */
export const makeTimerQueue = (lastSequence: number | undefined): TimerQueue => {
  const singleTimers = new TimerHeap(lastSequence)
  const repeated = new TimerHeap()
  const heapOf = (timer: Timer): TimerHeap => (timer.periodMillis === undefined ? singleTimers : repeated)
  let rule: RoundSkipRule | undefined

  return {
    singleTimers,
    repeat: (place, run, periodMillis) => repeated.addAt(place, run, periodMillis),
    next: () => {
      const [single, repeatedTimer] = [singleTimers.peek(), repeated.peek()]
      if (single === undefined || repeatedTimer === undefined) return single ?? repeatedTimer
      return isBefore(repeatedTimer, single) ? repeatedTimer : single
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
      rule.onSkipped(runs)
    },
    setRoundSkipRule: (newRule) => {
      rule = newRule
    }
  }
}
