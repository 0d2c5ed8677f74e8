import { conditionOf } from "./conditions.ts"
import { statusReplicas } from "./replicaCounts.ts"
import { millisOf, secondsFloor } from "./timestamps.ts"
import type { ConditionClaim } from "./conditions.ts"
import type { DeploymentObservation } from "./observations.ts"
import type { Deployment, DeploymentCondition } from "./objects.ts"

/**
 * Whether a rollout gets anywhere, and how long it may take.
 *
 * Source: pkg/controller/deployment/progress.go, util/deployment_util.go (DeploymentComplete, DeploymentProgressing,
 * DeploymentTimedOut).
 */

/** This deadline, and none at all, both mean that nobody is waiting. */
const noDeadline = 2147483647

export const hasDeadline = ({ spec }: Deployment): boolean =>
  spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadline

export const progressingOf = (deployment: Deployment): DeploymentCondition | undefined =>
  conditionOf(deployment.status.conditions, "Progressing")

const reasonIs = (deployment: Deployment, reason: string): boolean =>
  progressingOf(deployment)?.reason === reason

/** Everything runs the new revision, and nothing else runs. 0 of 0 is complete. */
export const isComplete = (seen: DeploymentObservation): boolean => {
  const desired = seen.deployment.spec.replicas
  const { counts } = seen
  return (
    counts.updatedReplicas === desired && counts.replicas === desired && counts.availableReplicas === desired
  )
}

/**
 * The same by what was last reported: old revisions are cleaned up only after it was said that all is done.
 */
export const wasComplete = ({ deployment: { spec, status, metadata } }: DeploymentObservation): boolean =>
  (status.updatedReplicas ?? 0) === spec.replicas &&
  (status.replicas ?? 0) === spec.replicas &&
  (status.availableReplicas ?? 0) === spec.replicas &&
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)

/** A rollout that was over stays over, whatever happens to its Pods, until another revision begins. */
export const staysComplete = (seen: DeploymentObservation): boolean => {
  const { counts } = seen
  return counts.replicas === counts.updatedReplicas && reasonIs(seen.deployment, "NewReplicaSetAvailable")
}

/** More Pods of the new revision, fewer of the old, more ready or more available than was last reported. */
export const hasProgressed = (seen: DeploymentObservation): boolean => {
  const { status } = seen.deployment
  const { counts } = seen
  const reportedUpdated = status.updatedReplicas ?? 0
  const reportedOld = (status.replicas ?? 0) - reportedUpdated
  return (
    counts.updatedReplicas > reportedUpdated ||
    counts.replicas - counts.updatedReplicas < reportedOld ||
    counts.readyReplicas > (status.readyReplicas ?? 0) ||
    counts.availableReplicas > (status.availableReplicas ?? 0)
  )
}

/** The deadline has passed since progress was last noted. What was complete never times out. */
export const isOverdue = ({ deployment, nowMillis }: DeploymentObservation): boolean => {
  const progressing = progressingOf(deployment)
  if (!hasDeadline(deployment) || progressing === undefined) return false
  if (progressing.reason === "NewReplicaSetAvailable") return false
  if (progressing.reason === "ProgressDeadlineExceeded") return true
  // One that does not say since when is older than any deadline.
  const since = progressing.lastUpdateTime === undefined ? -Infinity : millisOf(progressing.lastUpdateTime)
  return since + deadlineMillis(deployment) < nowMillis
}

const deadlineMillis = (deployment: Deployment): number =>
  (deployment.spec.progressDeadlineSeconds ?? noDeadline) * 1000

/** One second is added to the wait, since stored times have lost their fraction. */
const graceMillis = 1000

/** A check that is due within a second goes to the work queue's rate limiter: after a burst, ten a second pass. */
const nearMillis = 1000
const rateLimitMillis = 100

/**
 * When the progress check is due. It counts from `notedMillis`, the moment at which progress was noted, or, without it,
 * from the stored condition, so that an actor made anew waits only for the rest.
 *
 * Source: pkg/controller/deployment/progress.go (requeueStuckDeployment).
 */
export const progressCheckMillis = (seen: DeploymentObservation, notedMillis: number | undefined): number =>
  isCheckNear(seen, notedMillis)
    ? seen.nowMillis + rateLimitMillis
    : deadlineEndMillis(seen, notedMillis) + graceMillis

const isCheckNear = (seen: DeploymentObservation, notedMillis: number | undefined): boolean =>
  deadlineEndMillis(seen, notedMillis) - seen.nowMillis < nearMillis

const deadlineEndMillis = (seen: DeploymentObservation, notedMillis: number | undefined): number => {
  const stored = millisOf(progressingOf(seen.deployment)?.lastUpdateTime ?? "")
  const since =
    notedMillis !== undefined ? secondsFloor(notedMillis) : Number.isNaN(stored) ? seen.nowMillis : stored
  return since + deadlineMillis(seen.deployment)
}

/**
 * Whether the rollout needs a progress check: it is neither complete nor overdue, and its condition, of whatever
 * revision, says since when. A condition that says NewReplicaSetAvailable never times out: once its deadline is over,
 * upstream checks again and again without end. Unlike Kubernetes, that is done only where it can find anything.
 */
export const needsCheck = (seen: DeploymentObservation, notedMillis: number | undefined): boolean => {
  const { deployment } = seen
  if (!hasDeadline(deployment) || isComplete(seen)) return false
  if (notedMillis !== undefined) return true
  if (progressingOf(deployment) === undefined || isOverdue(seen)) return false
  return (
    !reasonIs(deployment, "NewReplicaSetAvailable") ||
    !isCheckNear(seen, notedMillis) ||
    isTerminationUncounted(seen)
  )
}

/**
 * Only old Pods that terminate are waited for, and statuses do not count them: the end of one wakes the Deployment
 * only if no other Pod is left, finished ones included.
 */
export const isTerminationUncounted = (seen: DeploymentObservation): boolean =>
  !seen.countsTerminating && seen.podsUnderPrevious > 0 && statusReplicas(seen.previous) === 0

export const isPausing = ({ deployment }: DeploymentObservation): boolean =>
  deployment.spec.paused === true &&
  !reasonIs(deployment, "DeploymentPaused") &&
  !reasonIs(deployment, "ProgressDeadlineExceeded")

export const isResuming = ({ deployment }: DeploymentObservation): boolean =>
  deployment.spec.paused !== true && reasonIs(deployment, "DeploymentPaused")

const claim = (status: ConditionClaim["status"], reason: string, message: string): ConditionClaim => ({
  type: "Progressing",
  status,
  reason,
  message
})

/** `ReplicaSet "web-5d4"`, or the Deployment where it has none of the present template. */
const subject = (seen: DeploymentObservation, replicaSet = seen.next?.metadata.name): string =>
  replicaSet === undefined
    ? `Deployment ${JSON.stringify(seen.deployment.metadata.name)}`
    : `ReplicaSet ${JSON.stringify(replicaSet)}`

export const pausedClaim = claim("Unknown", "DeploymentPaused", "Deployment is paused")
export const resumedClaim = claim("Unknown", "DeploymentResumed", "Deployment is resumed")
export const createdClaim = (replicaSet: string): ConditionClaim =>
  claim("True", "NewReplicaSetCreated", `Created new replica set ${JSON.stringify(replicaSet)}`)
export const foundClaim = (replicaSet: string): ConditionClaim =>
  claim("True", "FoundNewReplicaSet", `Found new replica set ${JSON.stringify(replicaSet)}`)
export const progressedClaim = (seen: DeploymentObservation, replicaSet?: string): ConditionClaim =>
  claim("True", "ReplicaSetUpdated", `${subject(seen, replicaSet)} is progressing.`)
export const completeClaim = (seen: DeploymentObservation): ConditionClaim =>
  claim("True", "NewReplicaSetAvailable", `${subject(seen)} has successfully progressed.`)
export const overdueClaim = (seen: DeploymentObservation): ConditionClaim =>
  claim("False", "ProgressDeadlineExceeded", `${subject(seen)} has timed out progressing.`)
export const refusedClaim = (message: string): ConditionClaim =>
  claim("False", "ReplicaSetCreateError", message)
