import { controllerReference } from "../../meta/ownerReferences.ts"
import { jobNameAt, zonedTimestamp, timeZoneOf } from "./cronJobObservation.ts"
import type { CronJob } from "./cronJobTypes.ts"
import type { Draft } from "../../meta/objects.ts"

export type ScheduledJobDraft = Draft & { readonly spec: CronJob["spec"]["jobTemplate"]["spec"] }

/** Source: pkg/controller/cronjob/utils.go (getJobFromTemplate2). */
export const draftScheduledJob = (cronJob: CronJob, millis: number): ScheduledJobDraft => {
  const { metadata = {}, spec } = cronJob.spec.jobTemplate
  const { namespace } = cronJob.metadata
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobNameAt(cronJob, millis),
      ...(namespace === undefined ? {} : { namespace }),
      ...(metadata.labels === undefined ? {} : { labels: metadata.labels }),
      annotations: {
        ...metadata.annotations,
        "batch.kubernetes.io/cronjob-scheduled-timestamp": zonedTimestamp(millis, timeZoneOf(cronJob))
      },
      ownerReferences: [controllerReference(cronJob)]
    },
    spec
  }
}
