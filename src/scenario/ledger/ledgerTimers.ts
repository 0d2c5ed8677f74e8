import { TimerHeap } from "../../runtime/time/timerHeap.ts"

export type ScheduleCallback = (atMillis: number, callback: () => void) => void

/** Timers for counts that change with time alone, such as availability. */
export interface LedgerTimers {
  readonly add: ScheduleCallback
  readonly nextMillis: () => number | undefined
  readonly runNext: () => void
}

/** Callbacks of one instant run in the order in which they were added. */
const samePriority = 0

export const makeLedgerTimers = (): LedgerTimers => {
  const heap = new TimerHeap()
  return {
    add: (atMillis, callback) => void heap.add(atMillis, samePriority, callback),
    nextMillis: () => heap.peek()?.atMillis,
    runNext: () => {
      const next = heap.peek()
      if (next === undefined) return
      heap.remove(next)
      next.run()
    }
  }
}
