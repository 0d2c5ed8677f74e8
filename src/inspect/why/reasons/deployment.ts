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

/** The observation that a Deployment's guard was asked about. */
export const seenOf = (
  context: unknown,
  event: { readonly type: string }
): DeploymentObservation | undefined => {
  // The recorder hands out what the chart of a Deployment was asked with.
  const [{ seen }, told] = [context as DeploymentContext, event as DeploymentEvent]
  return told.type === "observed" ? told.seen : seen
}

export const aboutDeployment =
  (words: (seen: DeploymentObservation) => string): Reason =>
  ({ context, event }) => {
    const seen = seenOf(context, event)
    return seen === undefined ? "nothing has been observed yet" : words(seen)
  }

const claiming = ({ claims }: DeploymentObservation): string =>
  `${counted(claims.adopt.length, "ReplicaSet")} to adopt, ${claims.release.length} to let go`

const renumberingText = (seen: DeploymentObservation): string => {
  if (seen.next === undefined) return "no ReplicaSet has this template"
  const { name } = seen.next.metadata
  const wanted = renumbering(seen)
  const has = seen.next.metadata.annotations?.[revisionAnnotation] ?? "none"
  if (wanted === undefined) return `${name} has revision ${has}, as it should`
  return `${name} has revision ${has} and should have ${wanted.annotations[revisionAnnotation] ?? "none"}, with the Deployment's annotations`
}

export const nextMissing = ({ next, deployment }: DeploymentObservation): string =>
  next === undefined
    ? `no ReplicaSet has this template: ${nextName(deployment)} is missing`
    : `${next.metadata.name} has this template`

export const nameTaken = ({ nameTakenBy, deployment }: DeploymentObservation): string =>
  nameTakenBy === undefined
    ? `nobody else is called ${nextName(deployment)}`
    : `${nameTakenBy} is somebody else's, or has another template`

const scaling = ({ deployment, replicaSets }: DeploymentObservation): string => {
  const noted = activeOf(replicaSets).map(
    (it) => `${it.metadata.name} ${countAnnotation(it, desiredAnnotation) ?? "nothing"}`
  )
  const { replicas } = deployment.spec
  return `replicas ${replicas}, annotation desired-replicas: ${noted.length === 0 ? "on none" : noted.join(", ")}`
}

const said = ({ deployment }: DeploymentObservation): string =>
  `Progressing says ${progressingOf(deployment)?.reason ?? "nothing"}`

const pausedText = ({ deployment }: DeploymentObservation): string =>
  deployment.spec.paused === true ? "paused is true" : "paused is not set"

const deadline = ({ deployment }: DeploymentObservation): string =>
  hasDeadline(deployment)
    ? `progressDeadlineSeconds ${deployment.spec.progressDeadlineSeconds}`
    : "no deadline is set"

const progressed = ({ deployment: { status }, counts }: DeploymentObservation): string => {
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

const completeness = (seen: DeploymentObservation): string => {
  const { replicas, updatedReplicas, availableReplicas: available } = seen.counts
  const { replicas: desired } = seen.deployment.spec
  const counts = `${updatedReplicas} updated, ${replicas} there, ${available} available, ${desired} desired`
  return isComplete(seen) ? `${counts}: complete` : `${counts}: not complete`
}

const overdue = (seen: DeploymentObservation): string => {
  const progressing = progressingOf(seen.deployment)
  const since = millisOf(progressing?.lastUpdateTime ?? "")
  if (!hasDeadline(seen.deployment)) return "no deadline is set"
  if (Number.isNaN(since)) return `${said(seen)}, and not since when`
  const seconds = Math.floor((seen.nowMillis - since) / 1000)
  return `${seconds} s since progress was noted (${progressing?.reason ?? ""}), deadline ${seen.deployment.spec.progressDeadlineSeconds} s`
}

/** Why the progress of a rollout is, or is not, checked again. */
const checkText = (seen: DeploymentObservation): string => {
  if (!isRolling(seen)) return turnText(seen)
  if (isComplete(seen)) return completeness(seen)
  return isOverdue(seen) ? said(seen) : overdue(seen)
}

const turnText = (seen: DeploymentObservation): string =>
  isRolling(seen) ? "it is the strategy's turn" : "something else comes before the strategy"

const terminationText = ({ countsTerminating, podsUnderPrevious }: DeploymentObservation): string =>
  `${counted(podsUnderPrevious, "old Pod")} not ended, ` +
  (countsTerminating ? "and terminating ones are counted" : "and terminating ones are not counted")

export const floorText = ({ deployment: { spec }, unavailableMax }: DeploymentObservation): string =>
  unavailableMax === 0 ? `floor ${spec.replicas}` : `floor ${spec.replicas} - ${unavailableMax}`

const availability = (seen: DeploymentObservation): string => {
  const available = availableReplicas(seen.replicaSets)
  return `available ${available}, ${floorText(seen)} = ${budgetOfPrevious(seen).floor}`
}

const strategyText = ({ deployment }: DeploymentObservation): string =>
  `strategy.type is ${deployment.spec.strategy.type}`

const refusalText: Reason = ({ event }) => {
  const told = event as DeploymentEvent
  if (told.type !== "refused") return "nothing was refused"
  return `${told.refusal.command} was refused, ${told.refusal.reason}: ${told.refusal.message}`
}

/** By guard; the names are those of the chart in `machines/deployment.ts`. */
export const deploymentReasons: Reasons = {
  isClaiming: aboutDeployment(claiming),
  isRenumbering: aboutDeployment(renumberingText),
  isTerminating: aboutDeployment(({ deployment: { metadata } }) =>
    metadata.deletionTimestamp === undefined
      ? "nobody has asked to delete it"
      : `to be deleted since ${metadata.deletionTimestamp}`
  ),
  isPaused: aboutDeployment(pausedText),
  isRollingBack: aboutDeployment((seen) => {
    const revision = rollbackRevision(seen)
    return revision === undefined ? "no earlier revision is asked for" : `revision ${revision} is asked for`
  }),
  isNameTaken: aboutDeployment(nameTaken),
  isNextMissing: aboutDeployment(nextMissing),
  isScaling: aboutDeployment(scaling),
  rollingUpdate: aboutDeployment(strategyText),
  recreate: aboutDeployment(strategyText),
  isCreationRefused: refusalText,
  isSetAside: aboutDeployment((seen) =>
    isClaiming(seen)
      ? claiming(seen)
      : isRenumbering(seen)
        ? renumberingText(seen)
        : "its ReplicaSets are in step"
  ),
  isUntracked: aboutDeployment(deadline),
  isPausing: aboutDeployment((seen) => `${pausedText(seen)}, ${said(seen)}`),
  isSuspended: aboutDeployment((seen) => `${pausedText(seen)}, ${said(seen)}`),
  isResuming: aboutDeployment((seen) => `${pausedText(seen)}, ${said(seen)}`),
  isCreating: aboutDeployment(nextMissing),
  isNewlyComplete: aboutDeployment((seen) => `${completeness(seen)}; ${said(seen)}`),
  hasProgressed: aboutDeployment(progressed),
  isNewlyFound: aboutDeployment(
    (seen) => `${said(seen)}, ${seen.next === undefined ? "no ReplicaSet" : seen.next.metadata.name} is there`
  ),
  isOverdue: aboutDeployment(overdue),
  wasOverdue: aboutDeployment(said),
  wasComplete: aboutDeployment(said),
  wasRefused: aboutDeployment(said),
  isAwaitingCheck: aboutDeployment((seen) => `${said(seen)}; ${terminationText(seen)}`),
  isUnjudged: aboutDeployment(turnText),
  needsCheck: aboutDeployment(checkText),
  needsSoonerCheck: (asked) => {
    const { checkMillis } = asked.context as DeploymentContext
    const ahead =
      checkMillis === undefined ? "no check is ahead" : `a check is ahead at ${timestampOf(checkMillis)}`
    return `${aboutDeployment(checkText)(asked)}; ${ahead}`
  },
  isAvailable: aboutDeployment(availability)
}
