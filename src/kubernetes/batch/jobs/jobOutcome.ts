import { conditionOf } from "../../meta/conditions.ts"
import { memoizePerObservation } from "../../apps/memoizePerObservation.ts"
import { parseIndexSet } from "./indexSets.ts"
import { isPodFinished, restartCountOf } from "../../pods/podState.ts"
import { timestampMillis } from "../../meta/amounts/timestamps.ts"
import {
  activePods,
  announcedOutcomeTarget,
  failJobMessage,
  failedCount,
  failedIndexes,
  succeededCount,
  succeededIndexes
} from "./jobObservation.ts"
import { isIndexed } from "./jobPods.ts"
import type { JobObservation, OutcomeTarget } from "./jobObservation.ts"
import type { SuccessRule } from "./jobTypes.ts"

/**
 * A Job ends only when its last Pod has ended. Source: pkg/controller/job/job_controller.go
 * (syncJob), success_policy.go.
 */
export interface JobOutcome {
  readonly target: OutcomeTarget
  readonly reason: string
  readonly message: string
}

export const jobOutcome = memoizePerObservation(
  (seen: JobObservation): JobOutcome | undefined =>
    announcedOutcome(seen) ?? failureOutcome(seen) ?? successByPolicy(seen) ?? completionOutcome(seen)
)

const announcedOutcome = ({ job }: JobObservation): JobOutcome | undefined => {
  const target = announcedOutcomeTarget(job)
  if (target === undefined) return undefined
  const { reason = "", message = "" } = conditionOf(job.status.conditions, target) ?? {}
  return { target, reason, message }
}

const failureOutcome = (seen: JobObservation): JobOutcome | undefined => {
  const failure = (reason: string, message: string): JobOutcome => ({
    target: "FailureTarget",
    reason,
    message
  })
  const { spec } = seen.job
  const policyMessage = failJobMessage(seen)
  if (policyMessage !== undefined) return failure("PodFailurePolicy", policyMessage)
  if (failedCount(seen) > (spec.backoffLimit ?? 6) || hasTooManyRestarts(seen))
    return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit")
  const deadline = deadlineMillis(seen)
  if (deadline !== undefined && deadline <= seen.nowMillis)
    return failure("DeadlineExceeded", "Job was active longer than specified deadline")
  const failedIndexCount = failedIndexes(seen).size
  if (spec.maxFailedIndexes !== undefined && failedIndexCount > spec.maxFailedIndexes)
    return failure(
      "MaxFailedIndexesExceeded",
      "Job has exceeded the specified maximal number of failed indexes"
    )
  const areAllIndexesDone =
    failedIndexCount > 0 && failedIndexCount + succeededIndexes(seen).size >= (spec.completions ?? 0)
  return areAllIndexesDone ? failure("FailedIndexes", "Job has failed indexes") : undefined
}

/** With OnFailure the restarts of containers count as failures. */
const hasTooManyRestarts = (seen: JobObservation): boolean => {
  const { template, backoffLimit = 6 } = seen.job.spec
  if (template.spec?.restartPolicy !== "OnFailure") return false
  const restarts = seen.pods
    .filter((pod) => !isPodFinished(pod))
    .reduce((sum, pod) => sum + restartCountOf(pod), 0)
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit
}

/** In Unix milliseconds; undefined without a deadline, or while suspended. */
export const deadlineMillis = ({ job: { spec, status } }: JobObservation): number | undefined =>
  spec.activeDeadlineSeconds === undefined || status.startTime === undefined || spec.suspend === true
    ? undefined
    : timestampMillis(status.startTime) + spec.activeDeadlineSeconds * 1000

/** In Unix milliseconds; undefined if no controller will delete the Job. */
export const expiryMillis = ({ job, deletesExpired }: JobObservation): number | undefined => {
  const { ttlSecondsAfterFinished: ttl } = job.spec
  const finish =
    conditionOf(job.status.conditions, "Complete") ?? conditionOf(job.status.conditions, "Failed")
  const finishedAt = finish?.lastTransitionTime
  return !deletesExpired || ttl === undefined || finishedAt === undefined
    ? undefined
    : timestampMillis(finishedAt) + ttl * 1000
}

const successByPolicy = (seen: JobObservation): JobOutcome | undefined => {
  const rules = seen.job.spec.successPolicy?.rules ?? []
  const succeeded = succeededIndexes(seen)
  // A rule without indexes needs one success.
  const index = succeeded.size === 0 ? -1 : rules.findIndex((rule) => satisfiesSuccessRule(rule, succeeded))
  return index < 0
    ? undefined
    : {
        target: "SuccessCriteriaMet",
        reason: "SuccessPolicy",
        message: `Matched rules at index ${index}`
      }
}

const satisfiesSuccessRule = (
  { succeededIndexes: required, succeededCount: count }: SuccessRule,
  succeeded: ReadonlySet<number>
): boolean => {
  if (required === undefined) return count !== undefined && succeeded.size >= count
  const indexes = [...parseIndexSet(required)]
  const succeededOfRule = indexes.filter((index) => succeeded.has(index)).length
  return indexes.length > 0 && succeededOfRule >= (count ?? indexes.length)
}

/** Without `completions` one success is enough, once no Pod is active. */
const completionOutcome = (seen: JobObservation): JobOutcome | undefined => {
  const { completions } = seen.job.spec
  const isReached =
    activePods(seen).length === 0 &&
    (completions === undefined ? succeededCount(seen) > 0 : succeededCount(seen) >= completions)
  return isReached
    ? {
        target: "SuccessCriteriaMet",
        reason: "CompletionsReached",
        message: "Reached expected number of succeeded pods"
      }
    : undefined
}

export const wantedPodCount = (seen: JobObservation): number => {
  const { completions, parallelism } = seen.job.spec
  const succeeded = succeededCount(seen)
  // A work queue Job creates no Pod after the first success. It deletes Pods beyond parallelism, as
  // Kubernetes 1.20 does in the conformance recordings; later releases do not.
  if (completions === undefined)
    return succeeded > 0 ? Math.min(activePods(seen).length, parallelism) : parallelism
  return Math.max(0, Math.min(completions - succeeded, parallelism))
}

/** Indexes that need a Pod, lowest first. */
export const pendingIndexes = (
  seen: JobObservation,
  takenIndexes: ReadonlySet<number>
): ReadonlyArray<number> => {
  const { completions = 0 } = seen.job.spec
  return isIndexed(seen.job)
    ? Array.from({ length: completions }, (_, index) => index).filter(
        (index) =>
          !takenIndexes.has(index) && !succeededIndexes(seen).has(index) && !failedIndexes(seen).has(index)
      )
    : []
}
