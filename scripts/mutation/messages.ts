/** To a thread that has loaded all tests. */
export type ThreadRequest =
  | {
      readonly ask: "try"
      readonly mutant: string
      /** The tests to run, cheapest first. */
      readonly tests: ReadonlyArray<TestWithLimit>
    }
  | { readonly ask: "end" }

export interface TestWithLimit {
  readonly id: string
  /** How often the test may hit the mutant before it counts as an endless loop. */
  readonly hitsMax: number
}

/** `ran`: how many tests ran. `by`: the test or the file that failed. `endless`: a test hit the mutant too often. */
export type ThreadAnswer =
  | { readonly type: "loaded"; readonly trials: ReadonlyArray<Trial>; readonly reach: Reach }
  | { readonly type: "killed"; readonly by: string; readonly why: string; readonly ran: number }
  | { readonly type: "endless"; readonly ran: number }
  | { readonly type: "survived"; readonly ran: number }

/** One test without a mutant. */
export interface Trial {
  readonly id: string
  readonly title: string
  readonly millis: number
  readonly failure: string | undefined
}

/** How often each mutant was hit: by test, and by file while it loaded. */
export interface Reach {
  readonly byTest: Readonly<Record<string, HitCounts>>
  readonly byFile: Readonly<Record<string, HitCounts>>
}

/** By mutant. */
export type HitCounts = Readonly<Record<string, number>>

/** vitest's `inject` key of a thread's order. */
export const orderKey = "mutation"

/**
 * `trial`: runs each test once without a mutant, records what it reaches, then waits for requests. `wait`: loads, then
 * waits for requests. `load`: loads with the mutant active, to notice changes in what modules do as they load, runs the
 * named tests, and ends.
 */
export type ThreadOrder = { readonly channel: string; readonly files: number } & (
  | { readonly task: "trial" | "wait" }
  | {
      readonly task: "load"
      readonly mutant: string
      readonly tests: ReadonlyArray<string>
      readonly hitsMax: number
    }
)
