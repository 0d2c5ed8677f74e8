import { announcedOutcomeTarget, podCounting } from "./jobObservation.ts"
import { podEndMillis } from "./podEnds.ts"
import type { Pod } from "../../meta/objects.ts"
import type { JobObservation } from "./jobObservation.ts"

/**
 * The delay is ten seconds, doubled up to ten minutes; a success resets it. Source:
 * pkg/controller/job/backoff_utils.go.
 */
export interface JobFailures {
  /** Failed Pods since the last success. */
  readonly failures: number
  readonly lastFailureMillis: number
}

const backOffFirstMillis = 10_000
const backOffMaxMillis = 600_000

export const jobBackOffMillis = (failures: number): number =>
  failures === 0 ? 0 : Math.min(backOffFirstMillis * 2 ** (failures - 1), backOffMaxMillis)

export const backOffEndMillis = ({ failures, lastFailureMillis }: JobFailures): number =>
  lastFailureMillis + jobBackOffMillis(failures)

export interface BackOffFailures extends JobFailures {
  /** The uids of the Pods that counted last: the next look sees them again if the API server refuses the status. */
  readonly countedPods: ReadonlyArray<string>
}

/** An ending Job replaces no Pods: their failures delay nothing. */
export const failuresAfterCounting = (before: BackOffFailures, seen: JobObservation): BackOffFailures => {
  if (announcedOutcomeTarget(seen.job) !== undefined) return before
  const { newSucceeded, newFailed } = podCounting(seen)
  if (newSucceeded.length + newFailed.length === 0) return before
  const isUncounted = ({ metadata }: Pod): boolean => !before.countedPods.includes(metadata.uid)
  return {
    ...addFailures(before, newSucceeded.filter(isUncounted), newFailed.filter(isUncounted)),
    countedPods: [...newSucceeded, ...newFailed].map(({ metadata }) => metadata.uid)
  }
}

/** For an actor that has just started: counts only Pods that still exist. */
export const failuresAmong = (pods: ReadonlyArray<Pod>): JobFailures => {
  const inPhase = (phase: string) => pods.filter(({ status }) => status.phase === phase)
  return addFailures(noFailures, inPhase("Succeeded"), inPhase("Failed"))
}

const addFailures = (
  before: JobFailures,
  succeeded: ReadonlyArray<Pod>,
  failed: ReadonlyArray<Pod>
): JobFailures => {
  const lastSuccess = Math.max(Number.NEGATIVE_INFINITY, ...succeeded.map(podEndMillis))
  const failedSince = failed.map(podEndMillis).filter((millis) => millis > lastSuccess)
  const { failures, lastFailureMillis } = succeeded.length > 0 ? noFailures : before
  return {
    failures: failures + failedSince.length,
    lastFailureMillis: Math.max(lastFailureMillis, ...failedSince)
  }
}

const noFailures: JobFailures = { failures: 0, lastFailureMillis: 0 }

/**
 * Failures that `podFailurePolicy` ignores do not count towards `backoffLimit`, but delay the next
 * Pod.
 */
export const failuresAfterIgnoring = (before: JobFailures, seen: JobObservation): JobFailures => {
  const ends = podCounting(seen).ignored.map(podEndMillis)
  return {
    failures: before.failures + ends.length,
    lastFailureMillis: Math.max(before.lastFailureMillis, ...ends)
  }
}
