import type { LookAgain, ObjectIdentity } from "../../apps/sharedCommands.ts"
import type { CronJobStatus } from "./cronJobTypes.ts"
import type { ScheduledJobDraft } from "./scheduledJob.ts"

export type CronJobCommand =
  /** Deletes the Jobs in `replaces` and creates `job`, with one write of the status. */
  | {
      readonly type: "startJob"
      readonly job: ScheduledJobDraft
      readonly dueMillis: number
      readonly replaces: ReadonlyArray<ObjectIdentity>
    }
  | { readonly type: "deleteJobs"; readonly children: ReadonlyArray<ObjectIdentity> }
  | { readonly type: "reportCronJob"; readonly status: CronJobStatus }
  | LookAgain
