import type * as Batch from "kubernetes-types/batch/v1.js"
import type { KubeObject, PodTemplate } from "../../meta/objects.ts"
import type { StatusCondition } from "../../meta/conditions.ts"

/** Includes fields that the published types lack. */
export interface Job extends KubeObject {
  readonly spec: Readonly<Omit<Batch.JobSpec, "podFailurePolicy" | "successPolicy">> & {
    readonly template: PodTemplate
    readonly parallelism: number
    readonly completionMode?: "NonIndexed" | "Indexed"
    readonly suspend?: boolean
    readonly backoffLimitPerIndex?: number
    readonly maxFailedIndexes?: number
    readonly podFailurePolicy?: PodFailurePolicy
    readonly podReplacementPolicy?: "TerminatingOrFailed" | "Failed"
    readonly successPolicy?: { readonly rules: ReadonlyArray<SuccessRule> }
    readonly managedBy?: string
  }
  readonly status: JobStatus
}

export interface JobStatus {
  readonly active?: number
  readonly succeeded?: number
  readonly failed?: number
  readonly ready?: number
  readonly terminating?: number
  readonly startTime?: string
  readonly completionTime?: string
  /** Numbers and ranges: `1,3-5`. */
  readonly completedIndexes?: string
  readonly failedIndexes?: string
  readonly conditions?: ReadonlyArray<StatusCondition>
  /** Ended Pods that the counts do not include yet. */
  readonly uncountedTerminatedPods?: UncountedPods
}

export interface UncountedPods {
  readonly succeeded?: ReadonlyArray<string>
  readonly failed?: ReadonlyArray<string>
}

export interface PodFailurePolicy {
  readonly rules: ReadonlyArray<FailureRule>
}

export interface FailureRule {
  readonly action: "FailJob" | "FailIndex" | "Ignore" | "Count"
  readonly onExitCodes?: {
    readonly containerName?: string
    readonly operator: "In" | "NotIn"
    readonly values: ReadonlyArray<number>
  }
  readonly onPodConditions?: ReadonlyArray<{ readonly type: string; readonly status?: string }>
}

export interface SuccessRule {
  readonly succeededIndexes?: string
  readonly succeededCount?: number
}
