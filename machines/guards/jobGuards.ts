import { earliestOf } from "../../src/kubernetes/meta/amounts/timestamps.ts"
import { isJobFinished, isManagedElsewhere } from "../../src/kubernetes/batch/jobs/jobState.ts"
import {
  activePods,
  announcedOutcomeTarget,
  failedCount,
  podCounting,
  succeededCount,
  terminatingPods
} from "../../src/kubernetes/batch/jobs/jobObservation.ts"
import {
  syncJobBatchMillis,
  missingJobPods,
  surplusJobPods
} from "../../src/kubernetes/batch/jobs/jobPlan.ts"
import { backOffEndMillis } from "../../src/kubernetes/batch/jobs/jobBackOff.ts"
import { conditionOf } from "../../src/kubernetes/meta/conditions.ts"
import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import {
  deadlineMillis,
  expiryMillis,
  jobOutcome,
  wantedPodCount
} from "../../src/kubernetes/batch/jobs/jobOutcome.ts"
import { formatDuration } from "../../src/kubernetes/meta/amounts/durations.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { explainGuard } from "./guard.ts"
import type { CommandRefusal } from "../../src/kubernetes/apps/commands.ts"
import type { GuardWording, ObservedNumbers } from "./guard.ts"
import type { BackOffFailures } from "../../src/kubernetes/batch/jobs/jobBackOff.ts"
import type { JobObservation, OutcomeTarget } from "../../src/kubernetes/batch/jobs/jobObservation.ts"
import type { MissingJobPods } from "../../src/kubernetes/batch/jobs/jobPlan.ts"

export interface JobContext extends BackOffFailures {
  /** The last observation, with the writes of the present look applied. */
  readonly seen: JobObservation | undefined
}

export type JobEvent =
  | { readonly type: "observed"; readonly seen: JobObservation }
  | { readonly type: "refused"; readonly refusal: CommandRefusal }

const jobGuard = (
  predicate: (seen: JobObservation, context: JobContext) => boolean,
  words: GuardWording,
  reason: (seen: JobObservation, context: JobContext) => string
) =>
  explainGuard(
    ({ context }: { readonly context: JobContext; readonly event: JobEvent }) => {
      const { seen } = context
      return seen !== undefined && predicate(seen, context)
    },
    words,
    ({ context }) => {
      const { seen } = context
      return seen === undefined ? "nothing has been observed yet" : reason(seen, context)
    }
  )

export const missingPodsIn = (context: JobContext): MissingJobPods => {
  const { seen } = context
  return seen === undefined
    ? { dueNow: [], nextMillis: undefined }
    : missingJobPods(seen, backOffEndMillis(context))
}

/**
 * When a running Job has to look again: at the end of its deadline or of a back-off, in Unix milliseconds. Undefined if
 * only a change of its Pods can lead to work.
 */
export const nextJobDueMillis = (context: JobContext): number | undefined => {
  const { seen } = context
  return seen === undefined
    ? undefined
    : earliestOf([deadlineMillis(seen), nextCreationMillis(seen, missingPodsIn(context))])
}

const nextCreationMillis = (
  { nowMillis }: JobObservation,
  { nextMillis }: MissingJobPods
): number | undefined =>
  nextMillis === undefined ? undefined : Math.max(nextMillis, nowMillis + syncJobBatchMillis)

const hasSuspendedCondition = ({ job }: JobObservation): boolean =>
  conditionOf(job.status.conditions, "Suspended")?.status === "True"

const countsText = (seen: JobObservation): string =>
  `${activePods(seen).length} active, ${succeededCount(seen)} succeeded, ${failedCount(seen)} failed, ` +
  `${wantedPodCount(seen)} wanted`

const outcomeText = (seen: JobObservation): string => {
  const outcome = jobOutcome(seen)
  return outcome === undefined ? `no end yet: ${countsText(seen)}` : `${outcome.reason}: ${outcome.message}`
}

const isNewOutcome = (seen: JobObservation, target: OutcomeTarget): boolean =>
  jobOutcome(seen)?.target === target && announcedOutcomeTarget(seen.job) === undefined

const countingText = (seen: JobObservation): string => {
  const { newSucceeded, newFailed, withRemovableFinalizer } = podCounting(seen)
  return (
    `${countText(newSucceeded.length + newFailed.length, "Pod")} to note, ` +
    `${countText(withRemovableFinalizer.length, "Pod")} to release`
  )
}

const unendedText = (seen: JobObservation): string =>
  `${activePods(seen).length} active, ${terminatingPods(seen).length} terminating`

const dueText = (dueMillis: number | undefined, nowMillis: number): string =>
  dueMillis === undefined ? "nothing is due" : `due in ${formatDuration(Math.max(0, dueMillis - nowMillis))}`

export const jobGuards = {
  isFinished: jobGuard(
    ({ job }) => isJobFinished(job),
    "finished",
    ({ job }) => (job.status.conditions ?? []).map(({ type, status }) => `${type}=${status}`).join(", ")
  ),
  isManagedElsewhere: jobGuard(
    ({ job }) => isManagedElsewhere(job),
    "another controller manages it",
    ({ job }) => `managedBy is ${job.spec.managedBy ?? "not set"}`
  ),
  hasClaims: jobGuard(
    ({ claims }) => claims.adopt.length + claims.release.length > 0,
    "something to adopt or release",
    ({ claims }) => `${claims.adopt.length} to adopt, ${claims.release.length} to release`
  ),
  // `new`: ended, and not noted in the status. `countable`: noted, and without the finalizer.
  hasUncountedPods: jobGuard(
    (seen) => {
      const { newSucceeded, newFailed, countableSucceededUids, countableFailedUids } = podCounting(seen)
      return [newSucceeded, newFailed, countableSucceededUids, countableFailedUids].some(
        (it) => it.length > 0
      )
    },
    "Pods that have ended are not counted",
    countingText
  ),
  hasReleasablePods: jobGuard(
    (seen) => podCounting(seen).withRemovableFinalizer.length > 0,
    "counted Pods keep their finalizer",
    countingText
  ),
  isTerminating: jobGuard(
    ({ job }) => isTerminating(job),
    "being deleted",
    ({ job: { metadata } }) =>
      metadata.deletionTimestamp === undefined
        ? "its deletion was not requested"
        : `to be deleted since ${metadata.deletionTimestamp}`
  ),
  isFailing: jobGuard((seen) => jobOutcome(seen)?.target === "FailureTarget", "it has to fail", outcomeText),
  isSucceeding: jobGuard(
    (seen) => jobOutcome(seen)?.target === "SuccessCriteriaMet",
    "it has succeeded",
    outcomeText
  ),
  isNewFailure: jobGuard(
    (seen) => isNewOutcome(seen, "FailureTarget"),
    "it has to fail from now on",
    outcomeText
  ),
  isNewSuccess: jobGuard(
    (seen) => isNewOutcome(seen, "SuccessCriteriaMet"),
    "it succeeds from now on",
    outcomeText
  ),
  hasActivePods: jobGuard(
    (seen) => activePods(seen).length > 0,
    "some of its Pods are to be deleted",
    unendedText
  ),
  hasTerminatingPods: jobGuard(
    (seen) => terminatingPods(seen).length > 0,
    "some of its Pods have not ended",
    unendedText
  ),
  isSuspended: jobGuard(
    ({ job }) => job.spec.suspend === true,
    "suspended",
    ({ job }) => `spec.suspend is ${job.spec.suspend ?? false}`
  ),
  // Checked after `isSuspended`: spec.suspend is unset, and the status still says suspended.
  isResumed: jobGuard(
    hasSuspendedCondition,
    "no longer suspended",
    (seen) => `its condition Suspended is ${hasSuspendedCondition(seen) ? "still" : "not"} True`
  ),
  isSuspendedWithoutPods: jobGuard(
    (seen) => hasSuspendedCondition(seen) && activePods(seen).length === 0,
    "no Pod is active",
    countsText
  ),
  hasTooManyPods: jobGuard((seen) => surplusJobPods(seen).length > 0, "too many Pods", countsText),
  hasTooFewPods: jobGuard(
    (_seen, context) => missingPodsIn(context).dueNow.length > 0,
    "too few Pods",
    countsText
  ),
  isDueLater: jobGuard(
    (_seen, context) => nextJobDueMillis(context) !== undefined,
    "a back-off or a deadline ends",
    ({ nowMillis }, context) => dueText(nextJobDueMillis(context), nowMillis)
  ),
  isExpired: jobGuard(
    (seen) => (expiryMillis(seen) ?? Number.POSITIVE_INFINITY) <= seen.nowMillis && !isTerminating(seen.job),
    "its time to live is over",
    (seen) => dueText(expiryMillis(seen), seen.nowMillis)
  ),
  hasTimeToLive: jobGuard(
    (seen) => expiryMillis(seen) !== undefined && !isTerminating(seen.job),
    "it has a time to live",
    (seen) => dueText(expiryMillis(seen), seen.nowMillis)
  )
}

export const jobStepNumbers: ObservedNumbers = (context) => {
  const { seen } = context as JobContext
  if (seen === undefined) return []
  return [
    ["wanted", wantedPodCount(seen)],
    ["active", activePods(seen).length],
    ["succeeded", succeededCount(seen)],
    ["failed", failedCount(seen)],
    ["terminating", terminatingPods(seen).length]
  ]
}
