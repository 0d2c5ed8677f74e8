import type { TimerPlace } from "./time/timerHeap.ts"

/** Timers of the cluster's clock. */
export interface Timers {
  readonly nowMillis: () => number
  /** Calls `run` before all controllers and actors of that instant; several timers run in the order they were set. */
  readonly after: (millis: number, run: () => void) => ScheduledTimer
  /** Restores a timer at its saved place: when it is due, and its order among the timers of that instant. */
  readonly resume: (place: TimerPlace, run: () => void) => ScheduledTimer
}

export interface ScheduledTimer {
  readonly cancel: () => void
  readonly place: TimerPlace
}
