import { counted } from "../../../domain/counted.ts"
import { availableReplicas, activeOf } from "../../../domain/replicaCounts.ts"
import { countAnnotation, desiredAnnotation, revisionAnnotation } from "../../../domain/revisions.ts"
import { hasDeadline, isComplete, isOverdue, progressingOf } from "../../../domain/progress.ts"
import { isClaiming, isRenumbering, isRolling } from "../../../domain/routes.ts"
import { budgetOfPrevious } from "../../../domain/rollingUpdate.ts"
import { millisOf, timestampOf } from "../../../domain/timestamps.ts"
import { nextName, renumbering } from "../../../domain/newReplicaSet.ts"
import { rollbackRevision } from "../../../domain/rollback.ts"
import type { DeploymentContext, DeploymentEvent } from "../../../../machines/deploymentSetup.ts"
import type { DeploymentObservation } from "../../../domain/observations.ts"
import type { Reason, Reasons } from "./reason.ts"

export const seenOf = (
  context: unknown,
  event: { readonly type: string }
): DeploymentObservation | undefined => {
  // Guards of the Deployment chart always have this context and event.
  const [{ seen: observation }, deploymentEvent] = [context as DeploymentContext, event as DeploymentEvent]
  return deploymentEvent.type === "observed" ? deploymentEvent.seen : observation
}

export const aboutDeployment =
  (text: (observation: DeploymentObservation) => string): Reason =>
  ({ context, event }) => {
    const observation = seenOf(context, event)
    return observation === undefined ? "nothing has been observed yet" : text(observation)
  }

const claimsText = ({ claims }: DeploymentObservation): string =>
  `${counted(claims.adopt.length, "ReplicaSet")} to adopt, ${claims.release.length} to let go`

const renumberingText = (observation: DeploymentObservation): string => {
  if (observation.next === undefined) return "no ReplicaSet has this template"
  const { name } = observation.next.metadata
  const expected = renumbering(observation)
  const revision = observation.next.metadata.annotations?.[revisionAnnotation] ?? "none"
  if (expected === undefined) return `${name} has revision ${revision}, as it should`
  return `${name} has revision ${revision} and should have ${expected.annotations[revisionAnnotation] ?? "none"}, with the Deployment's annotations`
}

export const nextMissing = ({ next, deployment }: DeploymentObservation): string =>
  next === undefined
    ? `no ReplicaSet has this template: ${nextName(deployment)} is missing`
    : `${next.metadata.name} has this template`

export const nameTaken = ({ nameTakenBy, deployment }: DeploymentObservation): string =>
  nameTakenBy === undefined
    ? `nobody else is called ${nextName(deployment)}`
    : `${nameTakenBy} is somebody else's, or has another template`

const scalingText = ({ deployment, replicaSets }: DeploymentObservation): string => {
  const annotated = activeOf(replicaSets).map(
    (it) => `${it.metadata.name} ${countAnnotation(it, desiredAnnotation) ?? "nothing"}`
  )
  const { replicas } = deployment.spec
  return `replicas ${replicas}, annotation desired-replicas: ${annotated.length === 0 ? "on none" : annotated.join(", ")}`
}

const progressingText = ({ deployment }: DeploymentObservation): string =>
  `Progressing says ${progressingOf(deployment)?.reason ?? "nothing"}`

const pausedText = ({ deployment }: DeploymentObservation): string =>
  deployment.spec.paused === true ? "paused is true" : "paused is not set"

const deadlineText = ({ deployment }: DeploymentObservation): string =>
  hasDeadline(deployment)
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
  const progressing = progressingOf(observation.deployment)
  const since = millisOf(progressing?.lastUpdateTime ?? "")
  if (!hasDeadline(observation.deployment)) return "no deadline is set"
  if (Number.isNaN(since)) return `${progressingText(observation)}, and not since when`
  const seconds = Math.floor((observation.nowMillis - since) / 1000)
  return `${seconds} s since progress was noted (${progressing?.reason ?? ""}), deadline ${observation.deployment.spec.progressDeadlineSeconds} s`
}

const checkText = (observation: DeploymentObservation): string => {
  if (!isRolling(observation)) return strategyTurnText(observation)
  if (isComplete(observation)) return completenessText(observation)
  return isOverdue(observation) ? progressingText(observation) : overdueText(observation)
}

const strategyTurnText = (observation: DeploymentObservation): string =>
  isRolling(observation) ? "it is the strategy's turn" : "something else comes before the strategy"

const terminationText = ({ countsTerminating, podsUnderPrevious }: DeploymentObservation): string =>
  `${counted(podsUnderPrevious, "old Pod")} not ended, ` +
  (countsTerminating ? "and terminating ones are counted" : "and terminating ones are not counted")

export const floorText = ({ deployment: { spec }, unavailableMax }: DeploymentObservation): string =>
  unavailableMax === 0 ? `floor ${spec.replicas}` : `floor ${spec.replicas} - ${unavailableMax}`

const availabilityText = (observation: DeploymentObservation): string => {
  const available = availableReplicas(observation.replicaSets)
  return `available ${available}, ${floorText(observation)} = ${budgetOfPrevious(observation).floor}`
}

const strategyText = ({ deployment }: DeploymentObservation): string =>
  `strategy.type is ${deployment.spec.strategy.type}`

const refusalText: Reason = ({ event }) => {
  const deploymentEvent = event as DeploymentEvent
  if (deploymentEvent.type !== "refused") return "nothing was refused"
  return `${deploymentEvent.refusal.command} was refused, ${deploymentEvent.refusal.reason}: ${deploymentEvent.refusal.message}`
}

/** By guard name of `machines/deployment.ts`. */
export const deploymentReasons: Reasons = {
  isClaiming: aboutDeployment(claimsText),
  isRenumbering: aboutDeployment(renumberingText),
  isTerminating: aboutDeployment(({ deployment: { metadata } }) =>
    metadata.deletionTimestamp === undefined
      ? "nobody has asked to delete it"
      : `to be deleted since ${metadata.deletionTimestamp}`
  ),
  isPaused: aboutDeployment(pausedText),
  isRollingBack: aboutDeployment((observation) => {
    const revision = rollbackRevision(observation)
    return revision === undefined ? "no earlier revision is asked for" : `revision ${revision} is asked for`
  }),
  isNameTaken: aboutDeployment(nameTaken),
  isNextMissing: aboutDeployment(nextMissing),
  isScaling: aboutDeployment(scalingText),
  rollingUpdate: aboutDeployment(strategyText),
  recreate: aboutDeployment(strategyText),
  isCreationRefused: refusalText,
  isSetAside: aboutDeployment((observation) =>
    isClaiming(observation)
      ? claimsText(observation)
      : isRenumbering(observation)
        ? renumberingText(observation)
        : "its ReplicaSets are in step"
  ),
  isUntracked: aboutDeployment(deadlineText),
  isPausing: aboutDeployment((observation) => `${pausedText(observation)}, ${progressingText(observation)}`),
  isSuspended: aboutDeployment(
    (observation) => `${pausedText(observation)}, ${progressingText(observation)}`
  ),
  isResuming: aboutDeployment((observation) => `${pausedText(observation)}, ${progressingText(observation)}`),
  isCreating: aboutDeployment(nextMissing),
  isNewlyComplete: aboutDeployment(
    (observation) => `${completenessText(observation)}; ${progressingText(observation)}`
  ),
  hasProgressed: aboutDeployment(progressText),
  isNewlyFound: aboutDeployment(
    (observation) =>
      `${progressingText(observation)}, ${observation.next === undefined ? "no ReplicaSet" : observation.next.metadata.name} is there`
  ),
  isOverdue: aboutDeployment(overdueText),
  wasOverdue: aboutDeployment(progressingText),
  wasComplete: aboutDeployment(progressingText),
  wasRefused: aboutDeployment(progressingText),
  isAwaitingCheck: aboutDeployment(
    (observation) => `${progressingText(observation)}; ${terminationText(observation)}`
  ),
  isUnjudged: aboutDeployment(strategyTurnText),
  needsCheck: aboutDeployment(checkText),
  needsSoonerCheck: (input) => {
    const { checkMillis } = input.context as DeploymentContext
    const nextCheckText =
      checkMillis === undefined ? "no check is ahead" : `a check is ahead at ${timestampOf(checkMillis)}`
    return `${aboutDeployment(checkText)(input)}; ${nextCheckText}`
  },
  isAvailable: aboutDeployment(availabilityText)
}
