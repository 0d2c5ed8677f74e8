import { countText } from "../../kubernetes/meta/text/countText.ts"
import { dueTimes, jobNameAt, scheduleProblem } from "../../kubernetes/batch/cronJobs/cronJobObservation.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { isOrAre } from "../objects/rolloutCounts.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { CronJobObservation } from "../../kubernetes/batch/cronJobs/cronJobObservation.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"

export const explainCronJob = (seen: CronJobObservation): StateExplanation => {
  const { cronJob, jobs } = seen
  const { metadata, spec, status } = cronJob
  const active = (status.active ?? []).length
  const problem = whyNoJobStarts(seen)
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
      nextSentence(seen)
    ],
    numbers: { jobs: jobs.length, active }
  }
}

/** What keeps every Job from its start, other than `spec.suspend`. */
export const whyNoJobStarts = (seen: CronJobObservation): string | undefined =>
  scheduleProblem(seen)?.message ??
  (dueTimes(seen).next === undefined ? "the schedule names a day that never comes" : undefined)

/** A Job that is to start, in Unix milliseconds. */
export interface ScheduledStart {
  readonly jobName: string
  readonly atMillis: number
}

/** Undefined if no Job starts by itself. */
export const nextJobOf = (seen: CronJobObservation): ScheduledStart | undefined => {
  const { next } = dueTimes(seen)
  return next === undefined || seen.cronJob.spec.suspend === true || whyNoJobStarts(seen) !== undefined
    ? undefined
    : { jobName: jobNameAt(seen.cronJob, next), atMillis: next }
}

const nextSentence = (seen: CronJobObservation): string => {
  const { cronJob, nowMillis } = seen
  const next = nextJobOf(seen)
  if (next === undefined) {
    const problem = whyNoJobStarts(seen)
    return problem === undefined
      ? "It is suspended (spec.suspend): no Job starts."
      : `No Job starts: ${problem}.`
  }
  const isHeld = dueTimes(seen).due !== undefined && cronJob.spec.concurrencyPolicy === "Forbid"
  const held = isHeld
    ? "A Job that is due waits until the one that runs has ended (concurrencyPolicy: Forbid). "
    : ""
  return `${held}The next is due at ${timestampOf(next.atMillis)}, in ${formatDuration(next.atMillis - nowMillis)}.`
}
