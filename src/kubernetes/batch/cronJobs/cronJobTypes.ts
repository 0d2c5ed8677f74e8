import type * as Batch from "kubernetes-types/batch/v1.js"
import type * as Core from "kubernetes-types/core/v1.js"
import type { KubeObject, PodTemplate } from "../../meta/objects.ts"

export interface CronJob extends KubeObject {
  readonly spec: {
    readonly schedule: string
    readonly timeZone?: string
    readonly startingDeadlineSeconds?: number
    readonly concurrencyPolicy?: "Allow" | "Forbid" | "Replace"
    readonly suspend?: boolean
    readonly successfulJobsHistoryLimit?: number
    readonly failedJobsHistoryLimit?: number
    readonly jobTemplate: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>
        readonly annotations?: Readonly<Record<string, string>>
      }
      readonly spec: Readonly<Batch.JobSpec> & { readonly template: PodTemplate }
    }
  }
  readonly status: CronJobStatus
}

export interface CronJobStatus {
  readonly active?: ReadonlyArray<Core.ObjectReference>
  readonly lastScheduleTime?: string
  readonly lastSuccessfulTime?: string
}
