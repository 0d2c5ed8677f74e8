import { millisAt, textAt } from "./workloadObservations.ts"
import type { CronJob, CronJobStatus } from "../../src/kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { CronJobObservation } from "../../src/kubernetes/batch/cronJobs/cronJobObservation.ts"
import type { Job } from "../../src/kubernetes/batch/jobs/jobTypes.ts"

export interface CronJobSituation {
  readonly spec?: Partial<CronJob["spec"]>
  readonly status?: CronJobStatus
  /** Its Jobs: active, or how they have finished. */
  readonly jobs?: ReadonlyArray<"active" | "Complete" | "Failed">
  readonly deleting?: boolean
  /** Seconds since it was created. */
  readonly now?: number
}

const jobOf = (index: number, state: "active" | "Complete" | "Failed"): Job => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: {
    name: `nightly-${index}`,
    namespace: "shop",
    uid: `job-${index}`,
    resourceVersion: "1",
    creationTimestamp: textAt(index)
  },
  spec: { parallelism: 1, template: {} },
  status:
    state === "active"
      ? { startTime: textAt(index) }
      : {
          startTime: textAt(index),
          completionTime: textAt(index + 1),
          conditions: [{ type: state, status: "True" }]
        }
})

const active = [{ kind: "Job", name: "nightly-0", uid: "job-0" }]

export const observedCronJob = ({
  spec = {},
  status = {},
  jobs = [],
  deleting,
  now = 10
}: CronJobSituation): CronJobObservation => ({
  cronJob: {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: {
      name: "nightly",
      namespace: "shop",
      uid: "nightly",
      resourceVersion: "1",
      creationTimestamp: textAt(0),
      ...(deleting === true ? { deletionTimestamp: textAt(9) } : {})
    },
    spec: {
      schedule: "* * * * *",
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: { template: {} } },
      ...spec
    },
    status
  },
  jobs: jobs.map((state, index) => jobOf(index, state)),
  nowMillis: millisAt(now)
})

export const cronJobObservations: ReadonlyMap<string, CronJobObservation> = new Map(
  Object.entries({
    "not due yet": {},
    due: { now: 130 },
    "due, after many missed times": { now: 60_000 },
    "due, and too late": { spec: { schedule: "0 1 * * *", startingDeadlineSeconds: 60 }, now: 86_400 },
    "due, too late by seconds": { spec: { startingDeadlineSeconds: 1 }, now: 130 },
    "due, and forbidden": {
      spec: { concurrencyPolicy: "Forbid" },
      jobs: ["active"],
      status: { active },
      now: 130
    },
    "due, and replacing": {
      spec: { concurrencyPolicy: "Replace" },
      jobs: ["active"],
      status: { active },
      now: 130
    },
    "due, beside another": { jobs: ["active"], status: { active }, now: 130 },
    "due, and its Job runs": {
      jobs: ["active"],
      status: {
        active: [{ kind: "Job", name: `nightly-${Math.floor(millisAt(130) / 60_000)}`, uid: "job-0" }]
      },
      now: 130
    },
    "an active Job has finished": { jobs: ["Complete"], status: { active } },
    "an active Job is gone": { status: { active } },
    "too many finished Jobs": {
      jobs: ["Failed", "Complete", "Failed", "Complete"],
      status: { lastSuccessfulTime: textAt(4) }
    },
    suspended: { spec: { suspend: true } },
    "an unknown time zone": { spec: { timeZone: "Mars/Olympus" } },
    "an unreadable schedule": { spec: { schedule: "whenever" } },
    "a day that never comes": { spec: { schedule: "0 0 31 2 *" } },
    "being deleted": { deleting: true }
  } satisfies Readonly<Record<string, CronJobSituation>>).map(([name, situation]) => [
    name,
    observedCronJob(situation)
  ])
)
