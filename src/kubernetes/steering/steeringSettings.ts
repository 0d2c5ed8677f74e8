import type { FailureBudget } from "./rolloutFailures.ts"
import type { IntOrPercent } from "../meta/amounts/intOrPercent.ts"

export interface FailureSettings extends FailureBudget {
  /** `undo`: go back to the last complete revision. `hold`: leave the template. */
  readonly onFailure: "undo" | "hold"
}

export type AutomaticRollbackSettings = FailureSettings

export const failureDefaults: FailureSettings = { restarts: 3, startTimeoutMillis: 60_000, onFailure: "undo" }

export interface StepSettings extends FailureSettings {
  readonly steps: ReadonlyArray<RolloutStep>
  readonly hooks?: Readonly<Record<string, Hook>>
  readonly analyses?: Readonly<Record<string, Analysis>>
}

export type CanarySettings = StepSettings

export interface BlueGreenSettings extends StepSettings {
  /** The Service that reaches the Pods of the newest revision. */
  readonly preview?: string
}

export type RolloutStep =
  /** The total of new Pods that may be approved; percentages are rounded up. */
  | { readonly approve: IntOrPercent }
  /** Without a duration, the hold lasts until a promotion. */
  | { readonly holdMillis: number | undefined }
  /** Waits until all new Pods have started, and approves none of them. */
  | { readonly start: "all" }
  | { readonly run: string }
  | { readonly analyse: string }

/** A failure or a timeout of the hook ends the rollout. */
export type Hook = {
  readonly timeoutMillis: number
} & (
  | {
      /** The Job that each run copies. */
      readonly job: string
    }
  | { readonly http: string; readonly method: "GET" | "POST" | "PUT" }
)

/** A value that is read `count` times and may be outside its limits `failures` times. */
export interface Analysis extends AnswerLimits {
  readonly source: AnalysisSource
  readonly intervalMillis: number
  readonly count: number
  readonly failures: number
  readonly timeoutMillis: number
}

export type RequestedSource =
  /** The status code of the response, or the value at `path` of its JSON. */
  { readonly http: string; readonly path?: string } | { readonly prometheus: string; readonly query: string }

export type AnalysisSource =
  | RequestedSource
  /** Restarts of the new Pods' containers, or approved Pods that are not Ready. */
  | { readonly pods: "restarts" | "notReady" }

export interface AnswerLimits {
  readonly min?: number
  readonly max?: number
  readonly equals?: AnswerValue
}

export type AnswerValue = number | string | boolean

export const checkDefaults = {
  hookTimeoutMillis: 300_000,
  answerTimeoutMillis: 10_000,
  intervalMillis: 30_000,
  count: 1,
  failures: 0
} as const
