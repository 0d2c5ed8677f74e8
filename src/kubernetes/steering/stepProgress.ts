import {
  approvablePods,
  approvablePodsMax,
  availableNewPodCount,
  hasChecksOrHoldsLeft,
  isAfterSteps,
  isHeldByUser,
  isHoldStep,
  mayApproveAll,
  podsAllowedByStep,
  reservablePods,
  stepOrApproveAll,
  stepBeganMillis,
  stepIndex,
  stepSettingsOf,
  millisUntilHoldEnds
} from "./rolloutSteps.ts"
import {
  checkFailure,
  isCheckPassed,
  isCheckStep,
  isHookResumable,
  millisUntilAnswerDueOrJobTimeout
} from "./stepChecks.ts"
import { countText } from "../meta/text/countText.ts"
import { formatDuration } from "../meta/amounts/durations.ts"
import { currentRecord, isRolloutComplete } from "./steeringObservation.ts"
import { isApproved } from "./podApproval.ts"
import { latestPodTimes, newPodFacts } from "./podFacts.ts"
import { hasProgressDeadline, progressDeadlineMillis } from "../apps/progress.ts"
import { memoizePerObservation } from "../apps/memoizePerObservation.ts"
import { abortFailure, noProgressText, podsFailure, millisUntilStartFailure } from "./rolloutFailures.ts"
import { timeOfCondition } from "../pods/podState.ts"
import { previewProblem } from "./previewService.ts"
import { earliestOf } from "../meta/amounts/timestamps.ts"
import type { SteeringPredicate, SteeringObservation } from "./steeringObservation.ts"
import type { StepRefusal } from "./steeringRecord.ts"

/** A step is never over with 0 replicas, which tell nothing about the revision. */
export const isStepOver: SteeringPredicate = (seen) => {
  const { replicas } = seen.deployment.spec
  if (replicas === 0 || isAfterSteps(seen)) return false
  if (mayApproveAll(seen) && !hasChecksOrHoldsLeft(seen)) return false
  const step = stepOrApproveAll(seen)
  if ("approve" in step) return availableNewPodCount(seen) >= approvablePodsMax(seen)
  if ("start" in step) return newPodFacts(seen).withContainersReady.length >= replicas
  return isCheckStep(seen) ? isCheckPassed(seen) : (millisUntilHoldEnds(seen) ?? Infinity) <= 0
}

/** The steps before the approval wait until the preview reaches the new Pods. */
export const isPreviewMissing: SteeringPredicate = (seen) =>
  needsPreview(seen) && !mayApproveAll(seen) && previewProblem(seen) !== undefined

const needsPreview: SteeringPredicate = (seen) => {
  if (isHoldStep(seen)) return true
  if (isCheckStep(seen)) return !isCheckPassed(seen)
  const next = stepSettingsOf(seen).steps[stepIndex(seen) + 1]
  return isStepOver(seen) && next !== undefined && !("approve" in next)
}

/** Undefined while no progress is expected. The Deployment's own deadline also runs during holds. */
export const millisUntilStalled = memoizePerObservation((seen: SteeringObservation): number | undefined => {
  const { deployment, nowMillis } = seen
  const { replicas, minReadySeconds = 0 } = deployment.spec
  const isProgressExpected =
    replicas > 0 &&
    !isRolloutComplete(seen) &&
    (mayApproveAll(seen) || !(isHoldStep(seen) || isCheckStep(seen)))
  const isHeld = isHeldByUser(seen) || currentRecord(seen)?.isHeld === true
  if (!isProgressExpected || isHeld || !hasProgressDeadline(deployment)) return undefined
  const { startedMillis, approvedMillis } = latestPodTimes(seen)
  const latestProgressMillis = Math.max(
    stepBeganMillis(seen),
    startedMillis,
    approvedMillis + minReadySeconds * 1000
  )
  const dueMillis = latestProgressMillis + progressDeadlineMillis(deployment)
  return Math.min(dueMillis, stepBeganMillis(seen) + stepBudgetMillis(seen)) - nowMillis
})

/**
 * Pods that are replaced again and again would else put off the deadline without end. Holds and checks have limits of
 * their own.
 */
const stepBudgetMillis = (seen: SteeringObservation): number => {
  const { deployment } = seen
  const { minReadySeconds = 0 } = deployment.spec
  return isHoldStep(seen) || isCheckStep(seen)
    ? Infinity
    : stepPodsMax(seen) * (2 * progressDeadlineMillis(deployment) + minReadySeconds * 1000)
}

const stepPodsMax = (seen: SteeringObservation): number => {
  const replicas = Math.max(seen.deployment.spec.replicas, currentRecord(seen)?.replicas ?? 0)
  const step = stepOrApproveAll(seen)
  return mayApproveAll(seen) || "start" in step
    ? replicas
    : (podsAllowedByStep(stepSettingsOf(seen), stepIndex(seen), replicas) ?? replicas)
}

const overdueText = (seen: SteeringObservation): string | undefined => {
  const budgetMillis = stepBudgetMillis(seen)
  if (stepBeganMillis(seen) + budgetMillis > seen.nowMillis) return undefined
  const pods = countText(stepPodsMax(seen), "Pod")
  return `its step was not over within ${formatDuration(budgetMillis)}, twice progressDeadlineSeconds for each of ${pods}`
}

const isStalled: SteeringPredicate = (seen) => (millisUntilStalled(seen) ?? Infinity) <= 0

/**
 * Pods that wait after the deadline show that no controller ran: the step goes on, as Kubernetes looks for progress
 * first. Its time begins anew, after its Pods came up, unless the API server refuses their approvals.
 */
export const isResumable: SteeringPredicate = (seen) =>
  isHookResumable(seen) || (refusedApproval(seen) === undefined && arePodsResumable(seen))

/** Undefined once the Pod is approved or gone. */
const refusedApproval = (seen: SteeringObservation): StepRefusal | undefined => {
  const refusal = currentRecord(seen)?.refusedApproval
  return seen.newPods.find((pod) => pod.metadata.name === refusal?.name && !isApproved(pod)) && refusal
}

const arePodsResumable: SteeringPredicate = (seen) =>
  isStalled(seen) &&
  [...approvablePods(seen), ...reservablePods(seen)].some(
    (pod) => timeOfCondition(pod, "ContainersReady") > stepBeganMillis(seen)
  )

export const stepsFailure = memoizePerObservation((seen: SteeringObservation): string | undefined => {
  return (
    abortFailure(seen) ??
    podsFailure(seen, stepSettingsOf(seen)) ??
    checkFailure(seen) ??
    (isStalled(seen) && !isResumable(seen) && !(isStepOver(seen) && !isPreviewMissing(seen))
      ? (overdueText(seen) ??
        noProgressText(seen, isPreviewMissing(seen) ? previewProblem(seen) : refusedApprovalText(seen)))
      : undefined)
  )
})

const refusedApprovalText = (seen: SteeringObservation): string | undefined =>
  approvablePods(seen).length === 0 ? undefined : refusedApproval(seen)?.why

/** Delays of charts, in milliseconds, begin with `until`. */
export const untilFailing = memoizePerObservation((seen: SteeringObservation): number | undefined => {
  const delays = [millisUntilStalled(seen), millisUntilStartFailure(seen, stepSettingsOf(seen))]
  return earliestOf(delays.filter((delay) => delay !== undefined && delay > 0))
})

export const untilHoldEndsOrFails = (seen: SteeringObservation): number | undefined =>
  earliestOf([millisUntilHoldEnds(seen), untilFailing(seen)])

export const untilAnswerOrFailure = (seen: SteeringObservation): number | undefined =>
  earliestOf([millisUntilAnswerDueOrJobTimeout(seen), untilFailing(seen)])
