import { hasDeadline, progressCheckMillis, progressingOf } from "../progress.ts"
import { statusReplicas } from "../replicaCounts.ts"
import { inWords } from "./waits.ts"
import { millisOf } from "../timestamps.ts"
import type { DeploymentObservation } from "../observations.ts"

/**
 * How far the deadline is, or since when it has been missed, and what follows from that: nothing, by itself.
 *
 * Source: pkg/controller/deployment/progress.go (DeploymentTimedOut).
 */
export const deadlineSentence = (
  seen: DeploymentObservation,
  { undo }: { readonly undo: string | undefined }
): ReadonlyArray<string> => {
  const { deployment, nowMillis } = seen
  const { spec } = deployment
  const progressing = progressingOf(deployment)
  if (!hasDeadline(deployment)) return ["It has no deadline: it waits for as long as it takes."]
  if (progressing === undefined) return []
  const seconds = spec.progressDeadlineSeconds ?? 0
  const name = `progressDeadlineSeconds ${seconds}`
  const noted = millisOf(progressing.lastUpdateTime ?? "")
  const back = undo === undefined ? "" : `; ${undo}`
  if (progressing.reason === "ProgressDeadlineExceeded") {
    // The condition was written when it was missed.
    const since = millisOf(progressing.lastTransitionTime ?? progressing.lastUpdateTime ?? "")
    const ago = Number.isNaN(since) ? "" : ` ${inWords(Math.max(0, nowMillis - since))} ago`
    return [`The deadline (${name}) was missed${ago}: nothing is rolled back by itself${back}.`]
  }
  if (progressing.reason === "NewReplicaSetAvailable") {
    return [
      `The deadline (${name}) does not run: what was complete once is not timed again (${progressing.reason}).`,
      ...checkSentence(seen)
    ]
  }
  if (spec.paused === true || Number.isNaN(noted)) return []
  const left = noted + seconds * 1000 - nowMillis
  return [
    left > 0
      ? `The deadline (${name}) passes in ${inWords(left)} unless it gets further: nothing is rolled back by itself${back}.`
      : `The deadline (${name}) has passed, and is about to be noted: nothing is rolled back by itself${back}.`,
    ...checkSentence(seen)
  ]
}

/** When a Recreate is looked at again that nothing wakes when its last old Pod is gone. */
const checkSentence = (seen: DeploymentObservation): ReadonlyArray<string> => {
  const { countsTerminating, deployment, next, previous } = seen
  const isWoken = countsTerminating || deployment.spec.strategy.type !== "Recreate"
  if (isWoken || next !== undefined || statusReplicas(previous) > 0) return []
  const left = progressCheckMillis(seen, undefined) - seen.nowMillis
  return [
    "Terminating Pods are not counted (feature gate DeploymentReplicaSetTerminatingReplicas): " +
      `it is looked at again in ${inWords(left)} at the latest.`
  ]
}
