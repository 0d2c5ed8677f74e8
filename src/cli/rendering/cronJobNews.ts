import { dueTimes, scheduleProblem, timeZoneOf } from "../../kubernetes/batch/cronJobs/cronJobObservation.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { WorkloadNews } from "./workloadNews.ts"

type CronJobNews = Pick<WorkloadNews, "reason" | "message">

/** When the next Job is due; Jobs have their own news. */
export const cronJobNews = (
  before: CronJob | undefined,
  after: CronJob,
  nowMillis: number
): ReadonlyArray<CronJobNews> => {
  if (before !== undefined && before.metadata.generation === after.metadata.generation) return []
  const { schedule, suspend = false } = after.spec
  const wasSuspended = before?.spec.suspend ?? false
  const observation = { cronJob: after, jobs: [], nowMillis }
  const problem = scheduleProblem(observation)
  const { nextMillis } = dueTimes(observation)
  if (problem !== undefined) return [{ reason: "Failed", message: problem.message }]
  if (suspend)
    return wasSuspended ? [] : [{ reason: "Paused", message: "no Job starts while it is suspended" }]
  const hasSameTimes =
    before !== undefined && schedule === before.spec.schedule && timeZoneOf(after) === timeZoneOf(before)
  if (hasSameTimes && !wasSuspended) return []
  const when = nextMillis === undefined ? "which never comes" : `next at ${timestampOf(nextMillis)}`
  const message = `${JSON.stringify(schedule)} in ${timeZoneOf(after)}, ${when}`
  return [{ reason: wasSuspended ? "Resumed" : "Scheduled", message }]
}
