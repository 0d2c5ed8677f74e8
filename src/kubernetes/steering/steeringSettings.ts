import type { FailureBudget } from "./rolloutFailures.ts"
import type { IntOrPercent } from "../meta/amounts/intOrPercent.ts"

export interface FailureSettings extends FailureBudget {
  /** `undo`: go back to the last revision that was complete. `hold`: leave the template. */
  readonly onFailure: "undo" | "hold"
}

export type AutomaticRollbackSettings = FailureSettings

export const failureDefaults: FailureSettings = { restarts: 3, startTimeoutMillis: 60_000, onFailure: "undo" }

/** Settings of the strategies that go in steps: canary and blueGreen. */
export interface StepSettings extends FailureSettings {
  readonly steps: ReadonlyArray<RolloutStep>
  readonly hooks?: Readonly<Record<string, Hook>>
  readonly analyses?: Readonly<Record<string, Analysis>>
}

export type CanarySettings = StepSettings

export interface BlueGreenSettings extends StepSettings {
  /** The Service that reaches the Pods of the newest revision, approved or not. */
  readonly preview?: string
}

export type RolloutStep =
  /** How many new Pods in total may pass the gate `charthouse.dev/approved`; percentages are rounded up. */
  | { readonly approve: IntOrPercent }
  /** Waits for so many milliseconds; undefined: until a promotion. */
  | { readonly holdMillis: number | undefined }
  /** Waits until all new Pods have started. Approves none of them. */
  | { readonly start: "all" }
  /** Runs the hook with this name. */
  | { readonly run: string }
  /** Waits for the answers to the analysis with this name. */
  | { readonly analyse: string }

/** A hook that fails, or takes longer than `timeoutMillis`, ends the rollout. */
export type Hook = {
  readonly timeoutMillis: number
} & (
  | {
      /** A Job in the Deployment's namespace, such as a suspended one: each run is a copy of it. */
      readonly job: string
    }
  | { readonly http: string; readonly method: "GET" | "POST" | "PUT" }
)

/** A value that is read `count` times, `intervalMillis` apart, and may be outside its limits `failures` times. */
export interface Analysis extends AnswerLimits {
  readonly source: AnalysisSource
  readonly intervalMillis: number
  readonly count: number
  readonly failures: number
  /** How long one answer may take. */
  readonly timeoutMillis: number
}

export type AnalysisSource =
  /** The status code of the response, or the value at a path of its JSON. */
  | { readonly http: string; readonly path?: string }
  /** The address of a Prometheus server, and a query with one number as its result. */
  | { readonly prometheus: string; readonly query: string }
  /** Of the new Pods: all restarts of their containers, or how many approved ones are not Ready. */
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
