import { aTemplate } from "./workloads.ts"
import { aTime, metadataOf, startMillis } from "./storedObjects.ts"
import { aJob } from "./jobs.ts"
import type { CronJob, CronJobStatus } from "../../src/kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { CronJobObservation } from "../../src/kubernetes/batch/cronJobs/cronJobObservation.ts"
import type { Job } from "../../src/kubernetes/batch/jobs/jobTypes.ts"
import type { ObjectOptions } from "./storedObjects.ts"

export interface CronJobOptions extends ObjectOptions {
  readonly spec?: Partial<CronJob["spec"]>
  readonly status?: CronJobStatus
}

/** A CronJob that is due every minute. */
export const aCronJob = (options: CronJobOptions = {}): CronJob => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: metadataOf(options, { name: "nightly", labels: { app: "nightly" } }),
  spec: {
    schedule: "* * * * *",
    jobTemplate: { spec: { template: aTemplate("v1") } },
    ...options.spec
  },
  status: options.status ?? {}
})

/** A Job of the CronJob; one that has finished has `ended: "Complete"`, for example. */
export const aScheduledJob = (
  name: string,
  options: ObjectOptions & {
    readonly ended?: "Complete" | "Failed"
    /** Seconds after the start. */
    readonly completed?: number
  } = {}
): Job => {
  const { ended, completed } = options
  return aJob({
    ...options,
    name,
    status: {
      ...(ended === undefined ? {} : { conditions: [{ type: ended, status: "True" }] }),
      ...(completed === undefined ? {} : { completionTime: aTime(completed) })
    }
  })
}

/** A look at a CronJob, so many seconds after the start. */
export const aCronJobObservation = (
  cronJob: CronJobOptions,
  jobs: ReadonlyArray<Job> = [],
  now = 0
): CronJobObservation => ({ cronJob: aCronJob(cronJob), jobs, nowMillis: startMillis + now * 1000 })
