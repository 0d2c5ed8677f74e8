import type { FailureBudget } from "./rolloutFailures.ts"

export interface FailureSettings extends FailureBudget {
  /** `undo`: go back to the last revision that was complete. `hold`: leave the template. */
  readonly onFailure: "undo" | "hold"
}

export type AutomaticRollbackSettings = FailureSettings

export const failureDefaults: FailureSettings = { restarts: 3, cannotStartMillis: 60_000, onFailure: "undo" }
