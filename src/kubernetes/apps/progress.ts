import { conditionOf } from "../meta/conditions.ts"
import { statusReplicas } from "./replicaCounts.ts"
import { timestampMillis, floorToSecond } from "../meta/amounts/timestamps.ts"
import { isGenerationObserved } from "../meta/observedGeneration.ts"
import type { DesiredCondition } from "../meta/conditions.ts"
import type { DeploymentObservation } from "./deploymentObservation.ts"
import type { Deployment, DeploymentCondition } from "../meta/objects.ts"

/** Source: deployment/progress.go, util/deployment_util.go. */

/** The largest int32 turns the deadline off. */
const noDeadlineSeconds = 2147483647

export const hasProgressDeadline = ({ spec }: Deployment): boolean =>
  spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadlineSeconds

export const progressingCondition = (deployment: Deployment): DeploymentCondition | undefined =>
  conditionOf(deployment.status.conditions, "Progressing")

const hasProgressingReason = (deployment: Deployment, reason: string): boolean =>
  progressingCondition(deployment)?.reason === reason

/** A Deployment of 0 replicas without Pods is complete. */
export const isComplete = (observation: DeploymentObservation): boolean => {
  const desired = observation.deployment.spec.replicas
  const { counts } = observation
  return (
    counts.updatedReplicas === desired && counts.replicas === desired && counts.availableReplicas === desired
  )
}

/** Whether the stored status is complete: old ReplicaSets are deleted only afterwards. */
export const wasComplete = ({ deployment }: DeploymentObservation): boolean => {
  const { spec, status } = deployment
  return (
    (status.updatedReplicas ?? 0) === spec.replicas &&
    (status.replicas ?? 0) === spec.replicas &&
    (status.availableReplicas ?? 0) === spec.replicas &&
    isGenerationObserved(deployment)
  )
}

/** Whether the stored condition says complete and no old Pods exist. Lost Pods begin no new rollout. */
export const hasCompletedBefore = (observation: DeploymentObservation): boolean => {
  const { counts } = observation
  return (
    counts.replicas === counts.updatedReplicas &&
    hasProgressingReason(observation.deployment, "NewReplicaSetAvailable")
  )
}

/**
 * Whether more Pods are updated, ready or available, or fewer are old, than in the stored status.
 */
export const hasProgressed = (observation: DeploymentObservation): boolean => {
  const { status } = observation.deployment
  const { counts } = observation
  const reportedUpdated = status.updatedReplicas ?? 0
  const reportedOld = (status.replicas ?? 0) - reportedUpdated
  return (
    counts.updatedReplicas > reportedUpdated ||
    counts.replicas - counts.updatedReplicas < reportedOld ||
    counts.readyReplicas > (status.readyReplicas ?? 0) ||
    counts.availableReplicas > (status.availableReplicas ?? 0)
  )
}

/** A complete rollout never times out. */
export const isProgressOverdue = ({ deployment, nowMillis }: DeploymentObservation): boolean => {
  const progressing = progressingCondition(deployment)
  if (!hasProgressDeadline(deployment) || progressing === undefined) return false
  if (progressing.reason === "NewReplicaSetAvailable") return false
  if (progressing.reason === "ProgressDeadlineExceeded") return true
  const sinceMillis =
    progressing.lastUpdateTime === undefined ? -Infinity : timestampMillis(progressing.lastUpdateTime)
  return sinceMillis + progressDeadlineMillis(deployment) < nowMillis
}

export const progressDeadlineMillis = (deployment: Deployment): number =>
  (deployment.spec.progressDeadlineSeconds ?? noDeadlineSeconds) * 1000

/** The deadline has this grace, because stored times are truncated to seconds. */
const deadlineGraceMillis = 1000

/** A check due within a second goes through the work queue's rate limiter, which lets through ten a second. */
const rateLimitedWithinMillis = 1000
export const rateLimitMillis = 100

/**
 * When the progress check is due, counted from `lastProgressMillis`, or after a restart from the
 * stored condition. Source: deployment/progress.go (requeueStuckDeployment).
 */
export const progressCheckMillis = (
  observation: DeploymentObservation,
  lastProgressMillis?: number
): number =>
  isCheckNear(observation, lastProgressMillis)
    ? observation.nowMillis + rateLimitMillis
    : deadlineEndMillis(observation, lastProgressMillis) + deadlineGraceMillis

const isCheckNear = (observation: DeploymentObservation, lastProgressMillis: number | undefined): boolean =>
  deadlineEndMillis(observation, lastProgressMillis) - observation.nowMillis < rateLimitedWithinMillis

const deadlineEndMillis = (
  observation: DeploymentObservation,
  lastProgressMillis: number | undefined
): number => {
  const storedMillis = timestampMillis(progressingCondition(observation.deployment)?.lastUpdateTime ?? "")
  const sinceMillis =
    lastProgressMillis !== undefined
      ? floorToSecond(lastProgressMillis)
      : Number.isNaN(storedMillis)
        ? observation.nowMillis
        : storedMillis
  return sinceMillis + progressDeadlineMillis(observation.deployment)
}

/** Unlike Kubernetes, no check is scheduled that cannot find a change. */
export const needsProgressCheck = (
  observation: DeploymentObservation,
  lastProgressMillis?: number
): boolean => {
  const { deployment } = observation
  if (!hasProgressDeadline(deployment) || isComplete(observation)) return false
  if (lastProgressMillis !== undefined) return true
  if (progressingCondition(deployment) === undefined || isProgressOverdue(observation)) return false
  // After NewReplicaSetAvailable, a check past the deadline is needed only where the end of old
  // Pods would go unnoticed.
  return (
    !hasProgressingReason(deployment, "NewReplicaSetAvailable") ||
    !isCheckNear(observation, lastProgressMillis) ||
    isTerminationUncounted(observation)
  )
}

/**
 * Whether all remaining old Pods terminate and no status counts them. The end of such a Pod wakes the Deployment only
 * if no other Pod remains.
 */
export const isTerminationUncounted = (observation: DeploymentObservation): boolean =>
  !observation.countsTerminating &&
  observation.unfinishedOldPods > 0 &&
  statusReplicas(observation.oldReplicaSets) === 0

/** An exceeded deadline stays in the condition of a paused Deployment. */
export const isPausing = ({ deployment }: DeploymentObservation): boolean =>
  deployment.spec.paused === true &&
  !hasProgressingReason(deployment, "DeploymentPaused") &&
  !hasProgressingReason(deployment, "ProgressDeadlineExceeded")

export const isNewlyFound = ({ deployment, newReplicaSet }: DeploymentObservation): boolean =>
  newReplicaSet !== undefined && progressingCondition(deployment) === undefined

export const isResuming = ({ deployment }: DeploymentObservation): boolean =>
  deployment.spec.paused !== true && hasProgressingReason(deployment, "DeploymentPaused")

const progressingWith = (
  status: DesiredCondition["status"],
  reason: string,
  message: string
): DesiredCondition => ({
  type: "Progressing",
  status,
  reason,
  message
})

const subjectText = (
  observation: DeploymentObservation,
  replicaSetName = observation.newReplicaSet?.metadata.name
): string =>
  replicaSetName === undefined
    ? `Deployment ${JSON.stringify(observation.deployment.metadata.name)}`
    : `ReplicaSet ${JSON.stringify(replicaSetName)}`

export const pausedCondition = progressingWith("Unknown", "DeploymentPaused", "Deployment is paused")
export const resumedCondition = progressingWith("Unknown", "DeploymentResumed", "Deployment is resumed")
export const replicaSetCreatedCondition = (replicaSetName: string): DesiredCondition =>
  progressingWith("True", "NewReplicaSetCreated", `Created new replica set ${JSON.stringify(replicaSetName)}`)
export const replicaSetFoundCondition = (replicaSetName: string): DesiredCondition =>
  progressingWith("True", "FoundNewReplicaSet", `Found new replica set ${JSON.stringify(replicaSetName)}`)
/** `replicaSetName`: a new ReplicaSet that is not observed yet. */
export const progressedCondition = (
  observation: DeploymentObservation,
  replicaSetName?: string
): DesiredCondition =>
  progressingWith("True", "ReplicaSetUpdated", `${subjectText(observation, replicaSetName)} is progressing.`)
export const completeCondition = (observation: DeploymentObservation): DesiredCondition =>
  progressingWith(
    "True",
    "NewReplicaSetAvailable",
    `${subjectText(observation)} has successfully progressed.`
  )
export const overdueCondition = (observation: DeploymentObservation): DesiredCondition =>
  progressingWith(
    "False",
    "ProgressDeadlineExceeded",
    `${subjectText(observation)} has timed out progressing.`
  )
export const creationRefusedCondition = (message: string): DesiredCondition =>
  progressingWith("False", "ReplicaSetCreateError", message)
