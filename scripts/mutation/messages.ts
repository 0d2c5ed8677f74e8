/** What passes between Stryker's process and the threads that run tests. */
export type Request =
  | {
      readonly ask: "try"
      readonly mutant: string
      /** The tests to run, cheapest first. */
      readonly tests: ReadonlyArray<Trying>
    }
  | { readonly ask: "end" }

export interface Trying {
  readonly id: string
  /** How often it may pass the mutant before the code is taken to go round for ever. */
  readonly passesMax: number
}

export type Answer =
  | { readonly type: "loaded"; readonly trials: ReadonlyArray<Trial>; readonly reach: Reach }
  | { readonly type: "killed"; readonly by: string; readonly why: string; readonly ran: number }
  | { readonly type: "endless"; readonly ran: number }
  | { readonly type: "survived"; readonly ran: number }

/** A test that ran with no mutant active. */
export interface Trial {
  readonly id: string
  readonly title: string
  readonly millis: number
  readonly failure: string | undefined
}

/** How often each mutant was passed: by test, and by file while that loaded. */
export interface Reach {
  readonly byTest: Readonly<Record<string, Passes>>
  readonly byFile: Readonly<Record<string, Passes>>
}

export type Passes = Readonly<Record<string, number>>

/** What a thread is told before it loads anything, under this key of vitest's `inject`. */
export const orderKey = "mutation"

/**
 * `trial`: run each test once with no mutant, learn what it reaches, then wait for requests. `wait`: load, then wait
 * for requests. `load`: load with the mutant active already, which is how a change to what modules do as they load is
 * noticed, run the tests named, and end.
 */
export type Order = { readonly channel: string; readonly files: number } & (
  | { readonly task: "trial" | "wait" }
  | {
      readonly task: "load"
      readonly mutant: string
      readonly tests: ReadonlyArray<string>
      readonly passesMax: number
    }
)
