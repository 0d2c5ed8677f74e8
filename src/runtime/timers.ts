import type { TimerPlace } from "./time/timerHeap.ts"

export interface Timers {
  readonly nowMillis: () => number
  /**
   * Calls `run` before all controllers and actors of that instant; timers of one instant run in the order
   * they were set.
   */
  readonly after: (millis: number, run: () => void) => ScheduledTimer
  /** Restores a timer at its saved place among the timers. */
  readonly resume: (place: TimerPlace, run: () => void) => ScheduledTimer
}

export interface ScheduledTimer {
  readonly cancel: () => void
  readonly place: TimerPlace
}
