import type { TimerPlace } from "./time/timerHeap.ts"

export interface Timers {
  readonly nowMillis: () => number
  /** Before all controllers and actors of that instant. */
  readonly after: (millis: number, run: () => void) => ScheduledTimer
  readonly resume: (place: TimerPlace, run: () => void) => ScheduledTimer
}

export interface ScheduledTimer {
  readonly cancel: () => void
  readonly place: TimerPlace
}
