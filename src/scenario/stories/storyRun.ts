import type { Key } from "../../domain/objects.ts"
import type { Extremes, LedgerRow } from "../ledger/account.ts"
import type { LossCause } from "../ledger/serviceTraffic.ts"
import type { Violation } from "../ledger/violations.ts"

/** What came of one story with one seed. All times are milliseconds since the story began. Plain data, without end. */
export interface StoryRun {
  readonly story: string
  readonly seed: number
  /** `unsettled`: the limit came first. A story that was to fail and did so has passed, with its failures. */
  readonly outcome: "passed" | "failed" | "unsettled"
  /** In the order in which they came: of rules that were broken the first twenty times, and the first of each. */
  readonly failures: ReadonlyArray<StoryFailure>
  /** How many more times rules were broken. */
  readonly untold: number
  readonly steps: ReadonlyArray<StepRun>
  readonly faults: ReadonlyArray<FaultRun>
  readonly deployments: ReadonlyArray<DeploymentRun>
  readonly services: ReadonlyArray<ServiceRun>
  readonly events: ReadonlyArray<EventLine>
  readonly endMillis: number
  /** How many writes there were, whoever made them, with those from before the beginning. */
  readonly writes: number
  /** A digest of every change there was, in order: equal digests are equal runs, to the byte. */
  readonly digest: string
}

export type StoryFailure = {
  /** The story says with `expectFailure` that it is to fail so. */
  readonly isExpected?: true
} & (
  | { readonly type: "violation"; readonly violation: Violation }
  | {
      readonly type: "step"
      readonly step: number
      readonly atMillis: number
      readonly message: string
      /**
       * Of a condition that does not hold: the faults that are on, what is held up by anything, and where it was waited
       * for, what has moved lately.
       */
      readonly meanwhile?: ReadonlyArray<string>
      /** Of a condition on lost requests: why all were lost that were by then. */
      readonly lostBecause?: ReadonlyArray<LossCause>
    }
  /** What was to be there at the start was refused. */
  | { readonly type: "start"; readonly atMillis: number; readonly message: string }
  /** A fault that came at a time of its own, or by chance, could not be. */
  | { readonly type: "fault"; readonly atMillis: number; readonly message: string }
  /** What kept it busy. */
  | { readonly type: "unsettled"; readonly atMillis: number; readonly message: string }
  /** It was to fail, and did not, or otherwise. */
  | { readonly type: "expectation"; readonly atMillis: number; readonly message: string }
)

export interface StepRun {
  /** From 1 on, as they stand in the story. */
  readonly number: number
  /** What it does, in a line. */
  readonly text: string
  readonly beganMillis: number | undefined
  readonly endedMillis: number | undefined
  readonly outcome: "done" | "failed" | "notReached"
}

export interface FaultRun {
  readonly text: string
  readonly beganMillis: number
  readonly endedMillis: number | undefined
  /**
   * How many Pods it met, or of one that refuses or delays writes how many of them; of clients none: a story's own
   * steps are not from outside. Undefined for one that is of nothing that can be counted.
   */
  readonly met: number | undefined
  /** Whether the seed has drawn it. */
  readonly isRandom: boolean
}

export interface DeploymentRun {
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<LedgerRow>
  /**
   * The bounds that it promised at the end, which are not what it came to: `replicas + maxSurge`, and `replicas -
   * maxUnavailable`. Undefined where it promises nothing.
   */
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
  /** What it came to since the story began: every change counts, also one that lasted no time at all. */
  readonly reached: Pick<Extremes, "podsMost" | "podsMostWithTerminating" | "availableFewest">
  /** What `kubectl rollout status` would say at the end. */
  readonly message: string
}

export interface ServiceRun {
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<{
    readonly atMillis: number
    readonly endpoints: number
    readonly ready: number
    readonly known: number
  }>
  /** Requests that found nobody who answered, of those that came. */
  readonly lost: number
  readonly requests: number
}

export interface EventLine {
  readonly atMillis: number
  readonly type: string
  readonly reason: string
  /** `Deployment/web`. */
  readonly object: string
  /** The key of the Deployment that it is, or that owns it or its ReplicaSet. */
  readonly deployment?: Key
  readonly message: string
}
