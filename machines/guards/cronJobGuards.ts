import {
  activeJobs,
  dueTimes,
  hasJobChanges,
  jobChanges,
  jobNameAt,
  oldJobs,
  scheduleDelayMillis,
  scheduleProblem
} from "../../src/kubernetes/batch/cronJobs/cronJobObservation.ts"
import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { timestampOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import { explainGuard } from "./guard.ts"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type { CronJobObservation } from "../../src/kubernetes/batch/cronJobs/cronJobObservation.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"

export interface CronJobContext {
  readonly seen: CronJobObservation | undefined
}

export type CronJobEvent =
  | { readonly type: "observed"; readonly seen: CronJobObservation }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

const cronJobGuard = (
  predicate: (seen: CronJobObservation) => boolean,
  words: GuardWording,
  reason: (seen: CronJobObservation) => string
) =>
  explainGuard(
    ({ context: { seen } }: { readonly context: CronJobContext; readonly event: CronJobEvent }) =>
      seen !== undefined && predicate(seen),
    words,
    ({ context: { seen } }) => (seen === undefined ? "nothing has been observed yet" : reason(seen))
  )

const dueText = (seen: CronJobObservation): string => {
  const { dueMillis, nextMillis } = dueTimes(seen)
  const text = dueMillis === undefined ? "nothing is due" : `due since ${timestampOf(dueMillis)}`
  return nextMillis === undefined
    ? `${text}, and the schedule never comes again`
    : `${text}, next in ${formatDuration(nextMillis - seen.nowMillis)}`
}

const activeText = ({ cronJob }: CronJobObservation): string =>
  `${countText(activeJobs(cronJob).length, "active Job")}, ` +
  `concurrencyPolicy is ${cronJob.spec.concurrencyPolicy ?? "Allow"}`

const hasActive = ({ cronJob }: CronJobObservation): boolean => activeJobs(cronJob).length > 0

export const cronJobGuards = {
  hasJobChanges: cronJobGuard(
    hasJobChanges,
    "Jobs have finished or gone",
    (seen) =>
      `${countText(jobChanges(seen).finished.length, "finished Job")}, ${jobChanges(seen).missing.length} gone`
  ),
  hasOldJobs: cronJobGuard(
    (seen) => oldJobs(seen).length > 0,
    "more finished Jobs than the limits",
    (seen) => countText(oldJobs(seen).length, "Job")
  ),
  isTerminating: cronJobGuard(
    ({ cronJob }) => isTerminating(cronJob),
    "being deleted",
    ({ cronJob: { metadata } }) =>
      metadata.deletionTimestamp === undefined
        ? "its deletion was not requested"
        : `to be deleted since ${metadata.deletionTimestamp}`
  ),
  isUnreadable: cronJobGuard(
    (seen) => scheduleProblem(seen) !== undefined,
    "schedule or time zone is invalid",
    (seen) => scheduleProblem(seen)?.message ?? "the schedule can be read"
  ),
  isSuspended: cronJobGuard(
    ({ cronJob }) => cronJob.spec.suspend === true,
    "suspended",
    ({ cronJob }) => `spec.suspend is ${cronJob.spec.suspend ?? false}`
  ),
  isDue: cronJobGuard(
    (seen) => dueTimes(seen).dueMillis !== undefined,
    "a time of the schedule has come",
    dueText
  ),
  isStarted: cronJobGuard(
    (seen) => {
      const name = jobNameAt(seen.cronJob, dueTimes(seen).dueMillis ?? 0)
      return activeJobs(seen.cronJob).some((it) => it.name === name)
    },
    "the Job of this time runs",
    activeText
  ),
  isForbidden: cronJobGuard(
    (seen) => seen.cronJob.spec.concurrencyPolicy === "Forbid" && hasActive(seen),
    "Forbid, and a Job is active",
    activeText
  ),
  isReplacing: cronJobGuard(
    (seen) => seen.cronJob.spec.concurrencyPolicy === "Replace" && hasActive(seen),
    "Replace, and a Job is active",
    activeText
  ),
  comesAgain: cronJobGuard(
    (seen) => dueTimes(seen).nextMillis !== undefined,
    "the schedule comes again",
    dueText
  )
}

/** When to look again, in Unix milliseconds: a moment after the next scheduled time, as Kubernetes does. */
export const nextLookMillis = (seen: CronJobObservation): number =>
  (dueTimes(seen).nextMillis ?? seen.nowMillis) + scheduleDelayMillis

export const cronJobStepNumbers: ObservedNumbers = (context) => {
  const { seen } = context as CronJobContext
  if (seen === undefined) return []
  const { dueMillis, nextMillis } = dueTimes(seen)
  return [
    ["due", dueMillis === undefined ? "no" : timestampOf(dueMillis)],
    ["next", nextMillis === undefined ? "never" : timestampOf(nextMillis)],
    ["Jobs", seen.jobs.length],
    ["active", activeJobs(seen.cronJob).length]
  ]
}
