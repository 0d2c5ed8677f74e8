import type { LookAgain, ObjectIdentity } from "../../apps/sharedCommands.ts"
import type { CronJobStatus } from "./cronJobTypes.ts"
import type { ScheduledJobDraft } from "./scheduledJob.ts"

export type CronJobCommand =
  /** Creates the Job of a time, and notes it in the status. */
  | { readonly type: "startJob"; readonly job: ScheduledJobDraft; readonly atMillis: number }
  | { readonly type: "deleteJobs"; readonly children: ReadonlyArray<ObjectIdentity> }
  | { readonly type: "reportCronJob"; readonly status: CronJobStatus }
  | LookAgain
