import { TimerHeap } from "../../runtime/timerHeap.ts"

export type DueAt = (atMillis: number, callback: () => void) => void

/** Timers for changes that come with time alone, such as availability. */
export interface DueTimes {
  readonly add: DueAt
  readonly nextMillis: () => number | undefined
  readonly happen: () => void
}

export const makeDueTimes = (): DueTimes => {
  const heap = new TimerHeap()
  return {
    add: (atMillis, callback) => void heap.add(atMillis, 0, callback),
    nextMillis: () => heap.peek()?.atMillis,
    happen: () => {
      const next = heap.peek()
      if (next === undefined) return
      heap.remove(next)
      next.run()
    }
  }
}
