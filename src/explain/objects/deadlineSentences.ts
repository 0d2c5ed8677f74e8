import { stopsOldFirst } from "../../../machines/strategies/strategies.ts"
import {
  hasProgressDeadline,
  progressCheckMillis,
  progressingCondition
} from "../../kubernetes/apps/progress.ts"
import { statusReplicas } from "../../kubernetes/apps/replicaCounts.ts"
import { durationText } from "./retriesText.ts"
import { afterDeadlineTexts } from "../../kubernetes/steering/steeringNames.ts"
import { isSteeringInProgress } from "../../kubernetes/steering/steeringRequests.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { DeploymentObservation } from "../../kubernetes/apps/deploymentObservation.ts"

/** Source: pkg/controller/deployment/progress.go (DeploymentTimedOut). */
export const deadlineSentences = (
  observation: DeploymentObservation,
  {
    undoHint,
    strategies
  }: {
    /** The command that undoes the rollout, as a clause. */
    readonly undoHint: string | undefined
    readonly strategies?: ReadonlyArray<Strategy> | undefined
  }
): ReadonlyArray<string> => {
  const { deployment, nowMillis } = observation
  const { spec } = deployment
  const progressing = progressingCondition(deployment)
  if (!hasProgressDeadline(deployment)) return ["It has no deadline: it waits for as long as it takes."]
  if (progressing === undefined) return []
  const seconds = spec.progressDeadlineSeconds ?? 0
  const fieldText = `progressDeadlineSeconds ${seconds}`
  const lastUpdateMillis = timestampMillis(progressing.lastUpdateTime ?? "")
  const followingText =
    afterDeadlineTexts[isSteeringInProgress(deployment) ? "steered" : "unsteered"] +
    (undoHint === undefined ? "" : `; ${undoHint}`)
  if (progressing.reason === "ProgressDeadlineExceeded") {
    const sinceMillis = timestampMillis(progressing.lastTransitionTime ?? progressing.lastUpdateTime ?? "")
    const agoText = Number.isNaN(sinceMillis)
      ? ""
      : ` ${durationText(Math.max(0, nowMillis - sinceMillis))} ago`
    return [`The deadline (${fieldText}) was missed${agoText}: ${followingText}.`]
  }
  if (progressing.reason === "NewReplicaSetAvailable") {
    return [
      `The deadline (${fieldText}) does not run: a rollout that was complete once is not timed again (${progressing.reason}).`,
      ...nextCheckSentence(observation, strategies)
    ]
  }
  if (spec.paused === true || Number.isNaN(lastUpdateMillis)) return []
  const remainingMillis = lastUpdateMillis + seconds * 1000 - nowMillis
  return [
    remainingMillis > 0
      ? `The deadline (${fieldText}) passes in ${durationText(remainingMillis)} unless it gets further: ${followingText}.`
      : `The deadline (${fieldText}) has passed, and is about to be noted: ${followingText}.`,
    ...nextCheckSentence(observation, strategies)
  ]
}

/** The end of terminating Pods triggers no reconcile: the next progress check resumes the rollout. */
const nextCheckSentence = (
  observation: DeploymentObservation,
  strategies: ReadonlyArray<Strategy> | undefined
): ReadonlyArray<string> => {
  const { countsTerminating, deployment, newReplicaSet, oldReplicaSets } = observation
  const isReconcileTriggered = countsTerminating || !stopsOldFirst(deployment, strategies)
  if (isReconcileTriggered || newReplicaSet !== undefined || statusReplicas(oldReplicaSets) > 0) return []
  // The actor alone knows the moment of the last progress; the stored condition stands in for it.
  const remainingMillis = progressCheckMillis(observation) - observation.nowMillis
  return [
    "Terminating Pods are not counted (feature gate DeploymentReplicaSetTerminatingReplicas): " +
      `it is looked at again in ${durationText(remainingMillis)} at the latest.`
  ]
}
