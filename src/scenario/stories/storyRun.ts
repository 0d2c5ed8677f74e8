import type { Key } from "../../kubernetes/meta/objects.ts"
import type { RolloutExtremes, LedgerRow } from "../ledger/podAccount.ts"
import type { LossCause } from "../ledger/serviceTraffic.ts"
import type { Violation } from "../ledger/violations.ts"

/** Times are milliseconds since the story began. */
export interface StoryRun {
  readonly story: string
  readonly seed: number
  /** `unsettled` means that a limit was reached. */
  readonly outcome: "passed" | "failed" | "unsettled"
  /** Includes only the first twenty violations, and the first of each rule. */
  readonly failures: ReadonlyArray<StoryFailure>
  /** The number of violations that `failures` leaves out. */
  readonly untold: number
  readonly steps: ReadonlyArray<StepRun>
  readonly faults: ReadonlyArray<FaultRun>
  readonly deployments: ReadonlyArray<DeploymentRun>
  readonly services: ReadonlyArray<ServiceRun>
  readonly events: ReadonlyArray<EventLine>
  readonly endMillis: number
  /** Counts writes of all clients, including those before the beginning. */
  readonly writes: number
  /** Equal digests mean byte-equal runs. */
  readonly digest: string
}

export type StoryFailure = {
  readonly isExpected?: true
} & (
  | { readonly type: "violation"; readonly violation: Violation }
  | {
      readonly type: "step"
      readonly step: number
      readonly atMillis: number
      readonly message: string
      /** Active faults, blocked Pods, and after waiting recent changes. */
      readonly meanwhile?: ReadonlyArray<string>
      readonly lostBecause?: ReadonlyArray<LossCause>
    }
  | { readonly type: "start"; readonly atMillis: number; readonly message: string }
  | { readonly type: "fault"; readonly atMillis: number; readonly message: string }
  | { readonly type: "unsettled"; readonly atMillis: number; readonly message: string }
  | { readonly type: "expectation"; readonly atMillis: number; readonly message: string }
)

export interface StepRun {
  /** From 1. */
  readonly number: number
  readonly text: string
  readonly beganMillis: number | undefined
  readonly endedMillis: number | undefined
  readonly outcome: "done" | "failed" | "notReached"
}

export interface FaultRun {
  readonly text: string
  readonly beganMillis: number
  readonly endedMillis: number | undefined
  /** Affected Pods, or writes; undefined if these cannot be counted, 0 for faults of clients. */
  readonly met: number | undefined
  readonly isRandom: boolean
}

export interface DeploymentRun {
  readonly namespace: string
  readonly name: string
  readonly rows: ReadonlyArray<LedgerRow>
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
  readonly reached: Pick<RolloutExtremes, "podsMost" | "podsMostWithTerminating" | "availableFewest">
  /** Undefined once the object is deleted. */
  readonly verdict: string | undefined
  /** The message of `kubectl rollout status` at the end. */
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
