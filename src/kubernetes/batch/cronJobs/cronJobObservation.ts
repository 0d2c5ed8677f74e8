import { finishedConditionType } from "../jobs/jobState.ts"
import { memoizePerObservation } from "../../apps/memoizePerObservation.ts"
import { nextCronTime, utcOffsetMillis } from "../cronTimes.ts"
import { parseCronSchedule, timeZoneProblem } from "../cronSchedule.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import { goQuote } from "../../meta/text/goQuote.ts"
import type { CronJob } from "./cronJobTypes.ts"
import type { CronSchedule } from "../cronSchedule.ts"
import type { Job } from "../jobs/jobTypes.ts"
import type { ObjectIdentity } from "../../apps/sharedCommands.ts"

/** Source: pkg/controller/cronjob/cronjob_controllerv2.go, utils.go. */
export interface CronJobObservation {
  readonly cronJob: CronJob
  /** The controlled Jobs, the earliest start first. */
  readonly jobs: ReadonlyArray<Job>
  readonly nowMillis: number
}

export interface ScheduleProblem {
  readonly reason: "UnknownTimeZone" | "UnparseableSchedule"
  readonly message: string
}

/** `Local` and no zone mean UTC, in which the controller manager runs here. */
export const timeZoneOf = ({ spec }: CronJob): string => {
  const { timeZone = "UTC" } = spec
  return timeZone === "" || timeZone === "Local" ? "UTC" : timeZone
}

interface ReadSchedule {
  readonly schedule: CronSchedule | undefined
  readonly zone: string
  readonly problem: ScheduleProblem | undefined
}

const readSchedule = memoizePerObservation(({ cronJob }: CronJobObservation): ReadSchedule => {
  const { schedule: text, timeZone } = cronJob.spec
  const zoneProblem = timeZone === undefined ? undefined : timeZoneProblem(timeZone)
  const parsed = parseCronSchedule(text)
  // The zone may precede the schedule, as it did before the field `timeZone` existed.
  const [, zoneInText] = /^(?:CRON_)?TZ=(\S+)/.exec(text) ?? []
  const zone = zoneInText ?? timeZoneOf(cronJob)
  const problem: ScheduleProblem | undefined =
    zoneProblem === undefined
      ? parsed.ok
        ? undefined
        : {
            reason: "UnparseableSchedule",
            message: `unparseable schedule: ${goQuote(text)} : ${parsed.problem}`
          }
      : {
          reason: "UnknownTimeZone",
          message: `invalid timeZone: ${JSON.stringify(timeZone)}: ${zoneProblem}`
        }
  return { schedule: parsed.ok && problem === undefined ? parsed.schedule : undefined, zone, problem }
})

export const scheduleProblem = (seen: CronJobObservation): ScheduleProblem | undefined =>
  readSchedule(seen).problem

export interface DueTimes {
  /** The latest time up to now without a Job. */
  readonly dueMillis: number | undefined
  /** Undefined for a schedule that is never due. */
  readonly nextMillis: number | undefined
  readonly hasMissedMany: boolean
}

/** Upstream warns above this number of missed times. */
const missedMax = 100
/** Upstream looks at a CronJob this long after each scheduled time. */
export const scheduleDelayMillis = 100

export const dueTimes = memoizePerObservation((seen: CronJobObservation): DueTimes => {
  const { schedule, zone } = readSchedule(seen)
  if (schedule === undefined) return { dueMillis: undefined, nextMillis: undefined, hasMissedMany: false }
  const { nowMillis } = seen
  const nextAfter = (millis: number): number | undefined => nextCronTime(schedule, millis, zone)
  const latestSince = (millis: number): MissedTimes => latestMissed(nextAfter, millis, nowMillis)
  const since = lastScheduleMillis(seen)
  // @every counts from the last scheduled time.
  const nextMillis = nextAfter(
    "everyMillis" in schedule ? (latestSince(since).dueMillis ?? since) : nowMillis
  )
  return { ...latestSince(missedSinceMillis(seen)), nextMillis }
})

type MissedTimes = Pick<DueTimes, "dueMillis" | "hasMissedMany">

/**
 * As in Kubernetes, the number of missed times is estimated from the first two. An irregular schedule
 * may therefore have no due time.
 */
const latestMissed = (
  nextAfter: (millis: number) => number | undefined,
  sinceMillis: number,
  nowMillis: number
): MissedTimes => {
  const first = nextAfter(sinceMillis)
  if (first === undefined || first > nowMillis) return { dueMillis: undefined, hasMissedMany: false }
  const second = nextAfter(first)
  if (second === undefined || second > nowMillis) return { dueMillis: first, hasMissedMany: false }
  const interval = second - first
  const missed = Math.floor((nowMillis - first) / interval) + 1
  let dueMillis: number | undefined
  let later = nextAfter(first + (missed - 2) * interval)
  while (later !== undefined && later <= nowMillis) {
    dueMillis = later
    later = nextAfter(later)
  }
  return { dueMillis, hasMissedMany: missed > missedMax }
}

const lastScheduleMillis = ({ cronJob: { status, metadata } }: CronJobObservation): number =>
  timestampMillis(status.lastScheduleTime ?? metadata.creationTimestamp)

const missedSinceMillis = (seen: CronJobObservation): number => {
  const since = lastScheduleMillis(seen)
  const { nowMillis } = seen
  const { startingDeadlineSeconds: deadline } = seen.cronJob.spec
  return deadline === undefined ? since : Math.max(since, nowMillis - deadline * 1000)
}

/** A scheduled time always gives the same name, so that the Job is created once. */
export const jobNameAt = ({ metadata }: CronJob, millis: number): string =>
  `${metadata.name}-${Math.floor(millis / 60_000)}`

export const activeJobs = ({ status }: CronJob): ReadonlyArray<ObjectIdentity> =>
  (status.active ?? []).map(({ name = "", uid = "" }) => ({ name, uid }))

/** Changes of Jobs since the status was written. */
export interface JobChanges {
  readonly finished: ReadonlyArray<{ readonly job: Job; readonly conditionType: "Complete" | "Failed" }>
  /** Jobs listed as active that do not exist. */
  readonly missing: ReadonlyArray<ObjectIdentity>
  /** Undefined if the status has the latest completion. */
  readonly lastSuccessfulTime: string | undefined
}

export const jobChanges = memoizePerObservation(({ cronJob, jobs }: CronJobObservation): JobChanges => {
  const activeUids = new Set(activeJobs(cronJob).map(({ uid }) => uid))
  const existingUids = new Set(jobs.map(({ metadata }) => metadata.uid))
  const successes = jobs
    .filter((job) => finishedConditionType(job) === "Complete")
    .flatMap(({ status }) => status.completionTime ?? [])
    .sort()
  const last = successes.at(-1)
  const { lastSuccessfulTime = "" } = cronJob.status
  return {
    finished: jobs.flatMap((job) => {
      const conditionType = finishedConditionType(job)
      return conditionType !== undefined && activeUids.has(job.metadata.uid) ? [{ job, conditionType }] : []
    }),
    missing: activeJobs(cronJob).filter(({ uid }) => !existingUids.has(uid)),
    lastSuccessfulTime: last !== undefined && last > lastSuccessfulTime ? last : undefined
  }
})

/** Unlisted unfinished Jobs, for example of `kubectl create job --from=cronjob/x`. */
export const unexpectedJobs = ({ cronJob, jobs }: CronJobObservation): ReadonlyArray<Job> => {
  const activeUids = new Set(activeJobs(cronJob).map(({ uid }) => uid))
  return jobs.filter((job) => finishedConditionType(job) === undefined && !activeUids.has(job.metadata.uid))
}

export const hasJobChanges = (seen: CronJobObservation): boolean => {
  const { finished, missing, lastSuccessfulTime } = jobChanges(seen)
  return finished.length > 0 || missing.length > 0 || lastSuccessfulTime !== undefined
}

/** Finished Jobs beyond the limits of the history, the oldest first. */
export const oldJobs = memoizePerObservation(({ cronJob, jobs }: CronJobObservation): ReadonlyArray<Job> => {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.spec
  const jobsBeyondLimit = (
    conditionType: "Complete" | "Failed",
    limit: number | undefined
  ): ReadonlyArray<Job> => {
    const finished = jobs.filter(
      (job) => finishedConditionType(job) === conditionType && job.metadata.deletionTimestamp === undefined
    )
    return limit === undefined ? [] : finished.slice(0, Math.max(0, finished.length - limit))
  }
  return [
    ...jobsBeyondLimit("Complete", successfulJobsHistoryLimit),
    ...jobsBeyondLimit("Failed", failedJobsHistoryLimit)
  ]
})

/** For example `2026-03-29T01:30:00+01:00`, in the CronJob's time zone. */
export const zonedTimestamp = (millis: number, zone: string): string => {
  const offset = utcOffsetMillis(millis, zone)
  const text = new Date(millis + offset).toISOString().slice(0, 19)
  if (offset === 0) return `${text}Z`
  const minutes = Math.abs(offset) / 60_000
  const pad = (value: number): string => String(Math.floor(value)).padStart(2, "0")
  return `${text}${offset < 0 ? "-" : "+"}${pad(minutes / 60)}:${pad(minutes % 60)}`
}
