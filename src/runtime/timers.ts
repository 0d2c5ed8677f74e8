import type { TimerPlace } from "./time/timerHeap.ts"

export interface Timers {
  readonly nowMillis: () => number
  /** Timers run before all controllers and actors of their instant. */
  readonly after: (millis: number, run: () => void) => ScheduledTimer
  /** Sets a timer of a snapshot again. */
  readonly resume: (place: TimerPlace, run: () => void) => ScheduledTimer
}

export interface ScheduledTimer {
  readonly cancel: () => void
  readonly place: TimerPlace
}
