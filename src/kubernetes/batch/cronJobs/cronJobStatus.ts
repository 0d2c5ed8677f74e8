import { jobChanges } from "./cronJobObservation.ts"
import { timestampOf } from "../../meta/amounts/timestamps.ts"
import type { CronJobObservation } from "./cronJobObservation.ts"
import type { CronJobStatus } from "./cronJobTypes.ts"
import type { KubeObject } from "../../meta/objects.ts"

/** Source: pkg/controller/cronjob/cronjob_controllerv2.go (syncCronJob). */
export const statusAfterChanges = (seen: CronJobObservation): CronJobStatus => {
  const { finished, missing, lastSuccessfulTime } = jobChanges(seen)
  const endedOrMissingUids = [
    ...finished.map(({ job }) => job.metadata.uid),
    ...missing.map(({ uid }) => uid)
  ]
  const status = withoutActiveJobs(seen.cronJob.status, endedOrMissingUids)
  return lastSuccessfulTime === undefined ? status : { ...status, lastSuccessfulTime }
}

export const withoutActiveJobs = (status: CronJobStatus, uids: ReadonlyArray<string>): CronJobStatus => {
  const { active = [], ...others } = status
  const remaining = active.filter(({ uid = "" }) => !uids.includes(uid))
  return { ...others, ...(remaining.length === 0 ? {} : { active: remaining }) }
}

/** The status stays unchanged if it lists the Job already. */
export const withActiveJob = (
  status: CronJobStatus,
  { metadata }: KubeObject,
  dueMillis: number
): CronJobStatus => {
  const { active = [] } = status
  const { name, namespace = "", uid, resourceVersion } = metadata
  if (active.some((it) => it.uid === uid)) return status
  const reference = { kind: "Job", namespace, name, uid, apiVersion: "batch/v1", resourceVersion }
  return { ...status, active: [...active, reference], lastScheduleTime: timestampOf(dueMillis) }
}
