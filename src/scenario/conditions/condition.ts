import type { ComparisonOperator } from "./operators.ts"
import type { NamedObject } from "./objectName.ts"

export interface ParsedCondition {
  readonly text: string
  readonly clauses: ReadonlyArray<ConditionClause>
}

/** A clause without a subject is about every Deployment. */
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

/**
 * The right side of a comparison: a number, a percentage of the desired replicas, or a measure of the same object.
 */
export type ComparisonAmount =
  | { readonly type: "number"; readonly value: number }
  | { readonly type: "percent"; readonly value: number }
  | { readonly type: "measure"; readonly measure: ConditionMeasure }

/**
 * Counts of a Deployment's Pods, which may be compared with a percentage of the desired replicas. `existing`: neither
 * finished nor terminating; `pods` is another name for it.
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
/** `lost`: requests to the Service that got no answer. */
export const serviceMeasures = ["endpoints", "ready", "lost"] as const

export type DeploymentMeasure = (typeof deploymentMeasures)[number]
type ServiceMeasure = (typeof serviceMeasures)[number]
export type ConditionMeasure = DeploymentMeasure | ServiceMeasure

export const deploymentStates = ["complete", "failed", "paused", "progressing", "available", "gone"] as const
export const objectStates = ["ready", "gone"] as const

export type ConditionState = (typeof deploymentStates)[number] | (typeof objectStates)[number]
