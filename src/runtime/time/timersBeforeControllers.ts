import { firstTurnOrder } from "./kernel.ts"
import type { ScheduledTimer, Timers } from "../timers.ts"
import type { Kernel } from "./kernel.ts"
import type { Timer } from "./timerHeap.ts"

/** For timers that are due before the controllers and actors of their instant. */
export const makeTimersBeforeControllers = (kernel: Kernel): Timers => {
  const makeScheduledTimer = (set: (run: () => void) => Timer, run: () => void): ScheduledTimer => {
    let isOver = false
    const timer = set(() => {
      isOver = true
      run()
    })
    const cancel = (): void => {
      if (!isOver) kernel.cancel(timer)
      isOver = true
    }
    const { atMillis, turnOrder, sequence } = timer
    return { cancel, place: { atMillis, turnOrder, sequence } }
  }
  return {
    nowMillis: kernel.nowMillis,
    after: (millis, run) => makeScheduledTimer((onDue) => kernel.after(millis, firstTurnOrder, onDue), run),
    resume: (place, run) => makeScheduledTimer((onDue) => kernel.resume(place, onDue), run)
  }
}
