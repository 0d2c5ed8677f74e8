import type { FailureBudget } from "./rolloutFailures.ts"
import type { IntOrPercent } from "../meta/amounts/intOrPercent.ts"

export interface FailureSettings extends FailureBudget {
  /** `undo`: go back to the last revision that was complete. `hold`: leave the template. */
  readonly onFailure: "undo" | "hold"
}

export type AutomaticRollbackSettings = FailureSettings

export const failureDefaults: FailureSettings = { restarts: 3, cannotStartMillis: 60_000, onFailure: "undo" }

export interface CanarySettings extends FailureSettings {
  readonly steps: ReadonlyArray<CanaryStep>
}

export type CanaryStep =
  /** So many Pods of the new revision are approved, in all; of the Deployment's replicas, rounded up. */
  | { readonly approve: IntOrPercent }
  /** Milliseconds; undefined: until it is promoted. */
  | { readonly holdMillis: number | undefined }
