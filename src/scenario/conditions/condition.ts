import type { ComparisonOperator } from "./operators.ts"
import type { NamedObject } from "./objectName.ts"

export interface ParsedCondition {
  readonly text: string
  readonly clauses: ReadonlyArray<ConditionClause>
}

/** Without a subject, a clause is about every Deployment. */
export type ConditionClause =
  | {
      readonly type: "comparison"
      readonly subject: NamedObject | undefined
      readonly measure: ConditionMeasure
      readonly operator: ComparisonOperator
      readonly amount: ComparisonAmount
    }
  | {
      readonly type: "state"
      readonly subject: NamedObject | undefined
      readonly state: ConditionState
      readonly isNegated: boolean
    }

/** A number, a percentage of the desired replicas, or a measure of the same object. */
export type ComparisonAmount =
  | { readonly type: "number"; readonly value: number }
  | { readonly type: "percent"; readonly value: number }
  | { readonly type: "measure"; readonly measure: ConditionMeasure }

/**
 * These measures can be compared with percentages of `desired`. `existing` and `pods` are the same: Pods neither
 * finished nor terminating.
 */
export const podMeasures = [
  "existing",
  "pods",
  "ready",
  "available",
  "updated",
  "terminating",
  "unavailable"
] as const
export const deploymentMeasures = ["desired", ...podMeasures, "revision", "restarts"] as const
/** Of a Job, `desired` is the number of completions. */
export const workloadMeasures = {
  statefulSets: deploymentMeasures,
  daemonSets: deploymentMeasures,
  jobs: ["desired", "existing", "pods", "ready", "active", "succeeded", "failed", "terminating", "restarts"],
  cronJobs: ["active"],
  autoscalers: ["current", "desired"]
} as const
/** `lost`: requests without an answer. */
export const serviceMeasures = ["endpoints", "ready", "lost"] as const

export type DeploymentMeasure = (typeof deploymentMeasures)[number]
type ServiceMeasure = (typeof serviceMeasures)[number]
type WorkloadMeasure = (typeof workloadMeasures)[keyof typeof workloadMeasures][number]
export type ConditionMeasure = DeploymentMeasure | ServiceMeasure | WorkloadMeasure

export const deploymentStates = ["complete", "failed", "paused", "progressing", "available", "gone"] as const
export const objectStates = ["ready", "gone"] as const
/** `active` and `limited` are the conditions ScalingActive and ScalingLimited. */
export const workloadStates = {
  statefulSets: ["complete", "progressing", "gone"],
  daemonSets: ["complete", "progressing", "gone"],
  jobs: ["complete", "failed", "suspended", "progressing", "gone"],
  cronJobs: ["suspended", "gone"],
  autoscalers: ["active", "limited", "gone"]
} as const

export type ConditionState =
  | (typeof deploymentStates)[number]
  | (typeof objectStates)[number]
  | (typeof workloadStates)[keyof typeof workloadStates][number]
