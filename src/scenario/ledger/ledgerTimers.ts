import { TimerHeap } from "../../runtime/time/timerHeap.ts"

export type ScheduleCallback = (atMillis: number, callback: () => void) => void

/** Timers for counts that change with time alone, such as availability. */
export interface LedgerTimers {
  readonly add: ScheduleCallback
  readonly nextMillis: () => number | undefined
  readonly runNext: () => void
}

export const makeLedgerTimers = (): LedgerTimers => {
  const heap = new TimerHeap()
  return {
    // Callbacks of one instant run in the order in which they were added.
    add: (atMillis, callback) => void heap.add(atMillis, 0, callback),
    nextMillis: () => heap.peek()?.atMillis,
    runNext: () => {
      const next = heap.peek()
      if (next === undefined) return
      heap.remove(next)
      next.run()
    }
  }
}
