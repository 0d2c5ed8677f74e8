import type { Operator } from "../operators.ts"
import type { NamedObject } from "./objectName.ts"

/** A line that is true or false of a world: all its clauses must hold. */
export interface ParsedCondition {
  readonly text: string
  readonly clauses: ReadonlyArray<Clause>
}

/** Without a subject it is said of every Deployment. */
export type Clause =
  | {
      readonly type: "comparison"
      readonly subject: NamedObject | undefined
      readonly measure: Measure
      readonly operator: Operator
      readonly amount: Amount
    }
  | {
      readonly type: "state"
      readonly subject: NamedObject | undefined
      readonly state: State
      /** `is not`. */
      readonly isNegated: boolean
    }

/** What something is compared with: a number, so much of what is desired, or another measure of the same object. */
export type Amount =
  | { readonly type: "number"; readonly value: number }
  | { readonly type: "percent"; readonly value: number }
  | { readonly type: "measure"; readonly measure: Measure }

/** What is counted in Pods of a Deployment: a part of what is desired. */
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
export const serviceMeasures = ["endpoints", "ready", "lost"] as const

export type DeploymentMeasure = (typeof deploymentMeasures)[number]
type ServiceMeasure = (typeof serviceMeasures)[number]
export type Measure = DeploymentMeasure | ServiceMeasure

export const deploymentStates = ["complete", "failed", "paused", "progressing", "available", "gone"] as const
export const objectStates = ["ready", "gone"] as const

export type State = (typeof deploymentStates)[number] | (typeof objectStates)[number]
