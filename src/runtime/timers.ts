/** Timers of the cluster's clock. */
export interface Timers {
  readonly nowMillis: () => number
  /** Runs before everything else that is due then. */
  readonly after: (millis: number, run: () => void) => ScheduledTimer
  /** Restores a timer at its saved position in the queue. */
  readonly resume: (place: TimerPosition, run: () => void) => ScheduledTimer
}

export interface ScheduledTimer {
  readonly cancel: () => void
  readonly place: TimerPosition
}

/** The position of a timer in the queue. At one instant, lower ranks and then lower sequences go first. */
export interface TimerPosition {
  readonly atMillis: number
  readonly rank: number
  readonly sequence: number
}
