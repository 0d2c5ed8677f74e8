import { TimerHeap } from "../../runtime/timerHeap.ts"

/** Has something happen at an instant, because nobody else will say that it is there. */
export type DueAt = (atMillis: number, happen: () => void) => void

/** What will be so by waiting alone: the next is found at once, however many there are. */
export interface DueTimes {
  readonly add: DueAt
  /** When the next is due; undefined where nothing is waited for. */
  readonly nextMillis: () => number | undefined
  /** Has the next one happen. */
  readonly happen: () => void
}

export const makeDueTimes = (): DueTimes => {
  const heap = new TimerHeap()
  return {
    add: (atMillis, happen) => void heap.add(atMillis, 0, happen),
    nextMillis: () => heap.peek()?.atMillis,
    happen: () => {
      const next = heap.peek()
      if (next === undefined) return
      heap.remove(next)
      next.run()
    }
  }
}
