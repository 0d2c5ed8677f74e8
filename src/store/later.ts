/** Time, as far as whoever comes between the store and others needs it. */
export interface Later {
  readonly nowMillis: () => number
  /** Calls back when so much time has passed, before anything else that is due then. Returns how to cancel. */
  readonly after: (millis: number, run: () => void) => () => void
}
