import { countText } from "../../kubernetes/meta/text/countText.ts"
import {
  activeJobs,
  dueTimes,
  jobNameAt,
  scheduleProblem
} from "../../kubernetes/batch/cronJobs/cronJobObservation.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { isOrAre } from "../objects/rolloutCounts.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { CronJobObservation } from "../../kubernetes/batch/cronJobs/cronJobObservation.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"

export const explainCronJob = (observation: CronJobObservation): StateExplanation => {
  const { cronJob, jobs } = observation
  const { metadata, spec, status } = cronJob
  const active = activeJobs(cronJob).length
  const problem = whyNoJobStarts(observation)
  const isSuspended = spec.suspend === true
  const zone = spec.timeZone === undefined ? "" : ` in ${spec.timeZone}`
  return {
    state: problem !== undefined ? "failed" : isSuspended ? "suspended" : "waiting",
    isWell: problem === undefined && !isSuspended,
    sentences: [
      `CronJob ${JSON.stringify(metadata.name)} runs at ${spec.schedule}${zone}: ` +
        `${countText(jobs.length, "Job")} ${isOrAre(jobs.length)} there, ${active} ${isOrAre(active)} active.`,
      ...(status.lastScheduleTime === undefined
        ? []
        : [`It last started a Job for ${status.lastScheduleTime}.`]),
      nextSentence(observation)
    ],
    numbers: { jobs: jobs.length, active }
  }
}

/** Why no Job can ever start, apart from `spec.suspend`. */
export const whyNoJobStarts = (observation: CronJobObservation): string | undefined =>
  scheduleProblem(observation)?.message ??
  (dueTimes(observation).nextMillis === undefined ? "the schedule names a day that never comes" : undefined)

export interface ScheduledStart {
  readonly jobName: string
  readonly atMillis: number
}

export const nextJobOf = (observation: CronJobObservation): ScheduledStart | undefined => {
  const { nextMillis } = dueTimes(observation)
  return nextMillis === undefined ||
    observation.cronJob.spec.suspend === true ||
    whyNoJobStarts(observation) !== undefined
    ? undefined
    : { jobName: jobNameAt(observation.cronJob, nextMillis), atMillis: nextMillis }
}

const nextSentence = (observation: CronJobObservation): string => {
  const { cronJob, nowMillis } = observation
  const next = nextJobOf(observation)
  if (next === undefined) {
    const problem = whyNoJobStarts(observation)
    return problem === undefined
      ? "It is suspended (spec.suspend): no Job starts."
      : `No Job starts: ${problem}.`
  }
  const isHeld =
    dueTimes(observation).dueMillis !== undefined &&
    cronJob.spec.concurrencyPolicy === "Forbid" &&
    activeJobs(cronJob).length > 0
  const heldSentence = isHeld
    ? "A Job that is due waits until the one that runs has ended (concurrencyPolicy: Forbid). "
    : ""
  return `${heldSentence}The next is due at ${timestampOf(next.atMillis)}, in ${formatDuration(next.atMillis - nowMillis)}.`
}
