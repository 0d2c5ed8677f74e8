import { formatIndexSet } from "./indexSets.ts"
import { isIndexed, hasBackoffLimitPerIndex } from "./jobPods.ts"
import { withConditionUpdate } from "./jobConditions.ts"
import { timestampOf } from "../../meta/amounts/timestamps.ts"
import {
  activePods,
  failedIndexes,
  podCounting,
  readyCount,
  succeededIndexes,
  terminatingPods
} from "./jobObservation.ts"
import type { JobConditionUpdate } from "./jobConditions.ts"
import type { JobObservation } from "./jobObservation.ts"
import type { JobStatus } from "./jobTypes.ts"

/**
 * `createdPodCount`: Pods that this look has created, and that its observation lacks.
 * Source: pkg/controller/job/job_controller.go (trackJobStatusAndRemoveFinalizers).
 */
export const jobStatus = (
  seen: JobObservation,
  {
    conditionUpdate,
    createdPodCount = 0
  }: { readonly conditionUpdate?: JobConditionUpdate | undefined; readonly createdPodCount?: number } = {}
): JobStatus => {
  const { job, nowMillis } = seen
  const { status } = job
  const { succeeded: notedSucceeded = [], failed: notedFailed = [] } = status.uncountedTerminatedPods ?? {}
  const counting = podCounting(seen)
  const { countableSucceededUids, countableFailedUids } = counting
  const newlySucceeded = isIndexed(job) ? [] : counting.newSucceeded
  const uncountedSucceeded = [
    ...notedSucceeded.filter((uid) => !countableSucceededUids.includes(uid)),
    ...newlySucceeded.map(({ metadata }) => metadata.uid)
  ]
  const uncountedFailed = [
    ...notedFailed.filter((uid) => !countableFailedUids.includes(uid)),
    ...counting.newFailed.map(({ metadata }) => metadata.uid)
  ]
  const succeeded = isIndexed(job)
    ? succeededIndexes(seen).size
    : (status.succeeded ?? 0) + countableSucceededUids.length
  const failed = (status.failed ?? 0) + countableFailedUids.length
  const conditions = withConditionUpdate(status.conditions ?? [], conditionUpdate, nowMillis)
  const startTime = startTimeOf(seen, conditionUpdate)
  const active = activePods(seen).length + createdPodCount
  return {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(conditionUpdate?.type === "Complete" ? { completionTime: timestampOf(nowMillis) } : {}),
    ...(active === 0 ? {} : { active }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(failed === 0 ? {} : { failed }),
    terminating: terminatingPods(seen).length,
    ...indexesOf(seen),
    uncountedTerminatedPods: {
      ...(uncountedSucceeded.length === 0 ? {} : { succeeded: uncountedSucceeded }),
      ...(uncountedFailed.length === 0 ? {} : { failed: uncountedFailed })
    },
    ready: readyCount(seen)
  }
}

const indexesOf = (seen: JobObservation): Pick<JobStatus, "completedIndexes" | "failedIndexes"> => {
  const completed = formatIndexSet(succeededIndexes(seen))
  return {
    ...(completed === "" ? {} : { completedIndexes: completed }),
    ...(hasBackoffLimitPerIndex(seen.job) ? { failedIndexes: formatIndexSet(failedIndexes(seen)) } : {})
  }
}

/** A suspended Job has no start time; a resumed Job gets a new one. */
const startTimeOf = ({ job, nowMillis }: JobObservation, conditionUpdate: JobConditionUpdate | undefined) => {
  if (conditionUpdate?.type === "Suspended")
    return conditionUpdate.status === "True" ? undefined : timestampOf(nowMillis)
  if (job.status.startTime !== undefined || job.spec.suspend === true) return job.status.startTime
  return timestampOf(nowMillis)
}
