/** Time, as far as whoever comes between the store and others needs it. */
export interface Later {
  readonly nowMillis: () => number
  /** Calls back when so much time has passed, before anything else that is due then. */
  readonly after: (millis: number, run: () => void) => Alarm
  /** As one that another world had set, in the place that it had there. */
  readonly resume: (place: Place, run: () => void) => Alarm
}

export interface Alarm {
  readonly cancel: () => void
  readonly place: Place
}

/** When something is due, and who goes before it then. */
export interface Place {
  readonly atMillis: number
  readonly rank: number
  readonly sequence: number
}
