import type { Key } from "../../kubernetes/meta/objects.ts"
import type { RolloutExtremes, LedgerRow } from "../ledger/ledgerRows.ts"
import type { LossCause } from "../ledger/services/serviceTraffic.ts"
import type { Violation } from "../ledger/violations.ts"

/** One story with one seed, as plain data. Times are milliseconds since the story began. */
export interface StoryRun {
  readonly story: string
  readonly seed: number
  /** `unsettled`: a limit was reached. With `expectFailure`, the expected failure means `passed`. */
  readonly outcome: "passed" | "failed" | "unsettled"
  /** In order of time. Of violations the first twenty, and the first of each rule. */
  readonly failures: ReadonlyArray<StoryFailure>
  /** Violations that `failures` leaves out. */
  readonly untold: number
  readonly steps: ReadonlyArray<StepRun>
  readonly faults: ReadonlyArray<FaultRun>
  readonly deployments: ReadonlyArray<DeploymentRun>
  readonly services: ReadonlyArray<ServiceRun>
  readonly events: ReadonlyArray<EventLine>
  readonly endMillis: number
  /** The number of writes by all clients, including those before the beginning. */
  readonly writes: number
  /** Hash of all changes in order: equal digests mean byte-equal runs. */
  readonly digest: string
}

export type StoryFailure = {
  /** The failure contains the text of `expectFailure`. */
  readonly isExpected?: true
} & (
  | { readonly type: "violation"; readonly violation: Violation }
  | {
      readonly type: "step"
      readonly step: number
      readonly atMillis: number
      readonly message: string
      /** If a condition does not hold: active faults, blocked Pods, and after waiting recent changes. */
      readonly meanwhile?: ReadonlyArray<string>
      /** If a condition is about lost requests: why they were lost so far. */
      readonly lostBecause?: ReadonlyArray<LossCause>
    }
  | { readonly type: "start"; readonly atMillis: number; readonly message: string }
  /** A fault of `faults` or `weather` was refused. */
  | { readonly type: "fault"; readonly atMillis: number; readonly message: string }
  | { readonly type: "unsettled"; readonly atMillis: number; readonly message: string }
  /** The story did not fail as `expectFailure` says. */
  | { readonly type: "expectation"; readonly atMillis: number; readonly message: string }
)

export interface StepRun {
  /** From 1. */
  readonly number: number
  readonly text: string
  /** Undefined if not reached. */
  readonly beganMillis: number | undefined
  readonly endedMillis: number | undefined
  readonly outcome: "done" | "failed" | "notReached"
}

export interface FaultRun {
  readonly text: string
  readonly beganMillis: number
  readonly endedMillis: number | undefined
  /** Affected Pods or writes; undefined if not countable. 0 for faults of clients, which no step of a story is. */
  readonly met: number | undefined
  /** Whether `weather` drew it. */
  readonly isRandom: boolean
}

export interface DeploymentRun {
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<LedgerRow>
  /** The strategy's ceiling and floor at the end, if any. */
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
  readonly reached: Pick<RolloutExtremes, "podsMost" | "podsMostWithTerminating" | "availableFewest">
  /** The Deployment's health at the end and its cause; undefined for a deleted Deployment. */
  readonly verdict: string | undefined
  /** The last line of `kubectl rollout status`. */
  readonly message: string
}

export interface ServiceRun {
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<{
    readonly atMillis: number
    readonly endpoints: number
    readonly ready: number
    /** Endpoints that clients send to. */
    readonly known: number
  }>
  readonly lost: number
  readonly requests: number
}

export interface EventLine {
  readonly atMillis: number
  readonly type: string
  readonly reason: string
  readonly object: string
  /** The key of the Deployment that is, or owns, the event's object. */
  readonly deployment?: Key
  readonly message: string
}
