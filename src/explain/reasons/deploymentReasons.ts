import { countText } from "../../kubernetes/meta/text/countText.ts"
import { availableReplicas, activeReplicaSets } from "../../kubernetes/apps/replicaCounts.ts"
import {
  parseCountAnnotation,
  desiredReplicasAnnotation,
  revisionAnnotation
} from "../../kubernetes/apps/revisions/revisions.ts"
import {
  hasProgressDeadline,
  isComplete,
  isProgressOverdue,
  progressingCondition
} from "../../kubernetes/apps/progress.ts"
import { isClaiming, isRenumbering, canStrategyAct } from "../../kubernetes/apps/rolloutPrecedence.ts"
import { scaleDownBudget } from "../../kubernetes/apps/rollingUpdate.ts"
import { timestampMillis, timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { nextReplicaSetName, planRenumbering } from "../../kubernetes/apps/revisions/newReplicaSet.ts"
import { rollbackRevision } from "../../kubernetes/apps/revisions/rollback.ts"
import type { DeploymentContext, DeploymentEvent } from "../../../machines/deploymentSetup.ts"
import type { DeploymentObservation } from "../../kubernetes/apps/deploymentObservation.ts"
import type { GuardReason, GuardReasons } from "./guardReason.ts"

export const deploymentObservation = (
  context: unknown,
  event: { readonly type: string }
): DeploymentObservation | undefined => {
  // Guards of the Deployment chart always have this context and event.
  const [{ seen: observation }, deploymentEvent] = [context as DeploymentContext, event as DeploymentEvent]
  return deploymentEvent.type === "observed" ? deploymentEvent.seen : observation
}

export const deploymentReason =
  (text: (observation: DeploymentObservation) => string): GuardReason =>
  ({ context, event }) => {
    const observation = deploymentObservation(context, event)
    return observation === undefined ? "nothing has been observed yet" : text(observation)
  }

const claimsText = ({ claims }: DeploymentObservation): string =>
  `${countText(claims.adopt.length, "ReplicaSet")} to adopt, ${claims.release.length} to let go`

const renumberingText = (observation: DeploymentObservation): string => {
  if (observation.next === undefined) return "no ReplicaSet has this template"
  const { name } = observation.next.metadata
  const expected = planRenumbering(observation)
  const revision = observation.next.metadata.annotations?.[revisionAnnotation] ?? "none"
  if (expected === undefined) return `${name} has revision ${revision}, as it should`
  return `${name} has revision ${revision} and should have ${expected.annotations[revisionAnnotation] ?? "none"}, with the Deployment's annotations`
}

export const nextMissingText = ({ next, deployment }: DeploymentObservation): string =>
  next === undefined
    ? `no ReplicaSet has this template: ${nextReplicaSetName(deployment)} is missing`
    : `${next.metadata.name} has this template`

export const nameTakenText = ({ nameTakenBy, deployment }: DeploymentObservation): string =>
  nameTakenBy === undefined
    ? `nobody else is called ${nextReplicaSetName(deployment)}`
    : `${nameTakenBy} is somebody else's, or has another template`

const scalingText = ({ deployment, replicaSets }: DeploymentObservation): string => {
  const annotated = activeReplicaSets(replicaSets).map(
    (it) => `${it.metadata.name} ${parseCountAnnotation(it, desiredReplicasAnnotation) ?? "nothing"}`
  )
  const { replicas } = deployment.spec
  return `replicas ${replicas}, annotation desired-replicas: ${annotated.length === 0 ? "on none" : annotated.join(", ")}`
}

const progressingText = ({ deployment }: DeploymentObservation): string =>
  `Progressing says ${progressingCondition(deployment)?.reason ?? "nothing"}`

const pausedText = ({ deployment }: DeploymentObservation): string =>
  deployment.spec.paused === true ? "paused is true" : "paused is not set"

const deadlineText = ({ deployment }: DeploymentObservation): string =>
  hasProgressDeadline(deployment)
    ? `progressDeadlineSeconds ${deployment.spec.progressDeadlineSeconds}`
    : "no deadline is set"

const progressText = ({ deployment: { status }, counts }: DeploymentObservation): string => {
  const updated = status.updatedReplicas ?? 0
  const pairs = [
    ["updated", updated, counts.updatedReplicas],
    ["old", (status.replicas ?? 0) - updated, counts.replicas - counts.updatedReplicas],
    ["ready", status.readyReplicas ?? 0, counts.readyReplicas],
    ["available", status.availableReplicas ?? 0, counts.availableReplicas]
  ] as const
  const changed = pairs.filter(([, was, is]) => was !== is)
  if (changed.length === 0) return "no count has changed since the last report"
  return changed.map(([name, was, is]) => `${name} ${was} -> ${is}`).join(", ")
}

const completenessText = (observation: DeploymentObservation): string => {
  const { replicas, updatedReplicas, availableReplicas: available } = observation.counts
  const { replicas: desired } = observation.deployment.spec
  const counts = `${updatedReplicas} updated, ${replicas} there, ${available} available, ${desired} desired`
  return isComplete(observation) ? `${counts}: complete` : `${counts}: not complete`
}

const overdueText = (observation: DeploymentObservation): string => {
  const progressing = progressingCondition(observation.deployment)
  const since = timestampMillis(progressing?.lastUpdateTime ?? "")
  if (!hasProgressDeadline(observation.deployment)) return "no deadline is set"
  if (Number.isNaN(since)) return `${progressingText(observation)}, and not since when`
  const seconds = Math.floor((observation.nowMillis - since) / 1000)
  return `${seconds} s since progress was noted (${progressing?.reason ?? ""}), deadline ${observation.deployment.spec.progressDeadlineSeconds} s`
}

const checkText = (observation: DeploymentObservation): string => {
  if (!canStrategyAct(observation)) return strategyTurnText(observation)
  if (isComplete(observation)) return completenessText(observation)
  return isProgressOverdue(observation) ? progressingText(observation) : overdueText(observation)
}

const strategyTurnText = (observation: DeploymentObservation): string =>
  canStrategyAct(observation) ? "it is the strategy's turn" : "something else comes before the strategy"

const terminationText = ({ countsTerminating, podsUnderPrevious }: DeploymentObservation): string =>
  `${countText(podsUnderPrevious, "old Pod")} not ended, ` +
  (countsTerminating ? "and terminating ones are counted" : "and terminating ones are not counted")

export const floorText = ({ deployment: { spec }, unavailableMax }: DeploymentObservation): string =>
  unavailableMax === 0 ? `floor ${spec.replicas}` : `floor ${spec.replicas} - ${unavailableMax}`

const availabilityText = (observation: DeploymentObservation): string => {
  const available = availableReplicas(observation.replicaSets)
  return `available ${available}, ${floorText(observation)} = ${scaleDownBudget(observation).floor}`
}

const strategyText = ({ deployment }: DeploymentObservation): string =>
  `strategy.type is ${deployment.spec.strategy.type}`

const refusalText: GuardReason = ({ event }) => {
  const deploymentEvent = event as DeploymentEvent
  if (deploymentEvent.type !== "refused") return "nothing was refused"
  return `${deploymentEvent.refusal.command} was refused, ${deploymentEvent.refusal.reason}: ${deploymentEvent.refusal.message}`
}

/** By guard name of `machines/deployment.ts`. */
export const deploymentReasons: GuardReasons = {
  isClaiming: deploymentReason(claimsText),
  isRenumbering: deploymentReason(renumberingText),
  isTerminating: deploymentReason(({ deployment: { metadata } }) =>
    metadata.deletionTimestamp === undefined
      ? "nobody has asked to delete it"
      : `to be deleted since ${metadata.deletionTimestamp}`
  ),
  isPaused: deploymentReason(pausedText),
  isRollingBack: deploymentReason((observation) => {
    const revision = rollbackRevision(observation)
    return revision === undefined ? "no earlier revision is asked for" : `revision ${revision} is asked for`
  }),
  isNameTaken: deploymentReason(nameTakenText),
  isNextMissing: deploymentReason(nextMissingText),
  isScaling: deploymentReason(scalingText),
  rollingUpdate: deploymentReason(strategyText),
  recreate: deploymentReason(strategyText),
  isCreationRefused: refusalText,
  isSetAside: deploymentReason((observation) =>
    isClaiming(observation)
      ? claimsText(observation)
      : isRenumbering(observation)
        ? renumberingText(observation)
        : "its ReplicaSets are in step"
  ),
  isUntracked: deploymentReason(deadlineText),
  isPausing: deploymentReason((observation) => `${pausedText(observation)}, ${progressingText(observation)}`),
  isSuspended: deploymentReason(
    (observation) => `${pausedText(observation)}, ${progressingText(observation)}`
  ),
  isResuming: deploymentReason(
    (observation) => `${pausedText(observation)}, ${progressingText(observation)}`
  ),
  isCreating: deploymentReason(nextMissingText),
  isNewlyComplete: deploymentReason(
    (observation) => `${completenessText(observation)}; ${progressingText(observation)}`
  ),
  hasProgressed: deploymentReason(progressText),
  isNewlyFound: deploymentReason(
    (observation) =>
      `${progressingText(observation)}, ${observation.next === undefined ? "no ReplicaSet" : observation.next.metadata.name} is there`
  ),
  isOverdue: deploymentReason(overdueText),
  wasOverdue: deploymentReason(progressingText),
  wasComplete: deploymentReason(progressingText),
  wasRefused: deploymentReason(progressingText),
  isAwaitingCheck: deploymentReason(
    (observation) => `${progressingText(observation)}; ${terminationText(observation)}`
  ),
  isUnjudged: deploymentReason(strategyTurnText),
  needsCheck: deploymentReason(checkText),
  needsSoonerCheck: (input) => {
    const { checkMillis } = input.context as DeploymentContext
    const nextCheckText =
      checkMillis === undefined ? "no check is ahead" : `a check is ahead at ${timestampOf(checkMillis)}`
    return `${deploymentReason(checkText)(input)}; ${nextCheckText}`
  },
  isAvailable: deploymentReason(availabilityText)
}
