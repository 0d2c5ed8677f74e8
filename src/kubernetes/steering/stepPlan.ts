import {
  approvablePodsMax,
  isAfterSteps,
  isHeldByUser,
  approvedPodCount,
  stepOrApproveAll,
  stepIndex,
  stepSettingsOf,
  millisUntilHoldEnds
} from "./rolloutSteps.ts"
import { countText } from "../meta/text/countText.ts"
import { formatDuration } from "../meta/amounts/durations.ts"
import type { FailureSettings, RolloutStep, StepSettings } from "./steeringSettings.ts"
import type { SteeringObservation } from "./steeringObservation.ts"

export const stepSummary = (step: RolloutStep, replicas: number): string => {
  if ("approve" in step) {
    const { approve } = step
    const podsText = countText(approvedPodCount(approve, replicas), "Pod")
    return typeof approve === "number" ? `approve ${podsText}` : `approve ${approve} (${podsText})`
  }
  if ("start" in step) return "start all Pods"
  if ("run" in step) return `run ${step.run}`
  if ("analyse" in step) return `analyse ${step.analyse}`
  return step.holdMillis === undefined ? "hold until promoted" : `hold ${formatDuration(step.holdMillis)}`
}

export const hasSteps = (settings: unknown): settings is StepSettings =>
  typeof settings === "object" && settings !== null && "steps" in settings

export const stepPlanText = (seen: SteeringObservation): string => {
  const { steps } = stepSettingsOf(seen)
  const { replicas } = seen.deployment.spec
  const presentIndex = stepIndex(seen)
  const texts = steps.map((step, index) => {
    const state =
      index < presentIndex ? " (done)" : index === presentIndex ? ` (now${progressText(seen)})` : ""
    return `${stepSummary(step, replicas)}${state}`
  })
  return [...texts, `approve all Pods${isAfterSteps(seen) ? ` (now${progressText(seen)})` : ""}`].join(", ")
}

const progressText = (seen: SteeringObservation): string => {
  const left = millisUntilHoldEnds(seen)
  if (left !== undefined && isHeldByUser(seen)) return ", held"
  if (left !== undefined) return `, ${formatDuration(Math.max(0, Math.ceil(left / 1000) * 1000))} left`
  return "approve" in stepOrApproveAll(seen)
    ? `, ${seen.newReplicaSet?.status.availableReplicas ?? 0} of ${approvablePodsMax(seen)} available`
    : ""
}

export const failureBudgetTexts = ({
  restarts,
  startTimeoutMillis,
  scheduleTimeoutMillis
}: FailureSettings): ReadonlyArray<string> => [
  restarts === 0
    ? "a container of its Pods restarts"
    : `containers of its Pods restart more than ${countText(restarts, "time")}`,
  `a Pod cannot start within ${formatDuration(startTimeoutMillis)}`,
  ...(scheduleTimeoutMillis === undefined
    ? []
    : [`a Pod finds no node within ${formatDuration(scheduleTimeoutMillis)}`])
]

export const checkFailureTexts = (seen: SteeringObservation): ReadonlyArray<string> => {
  const step = stepOrApproveAll(seen)
  if ("run" in step) return [`hook ${JSON.stringify(step.run)} fails or is late`]
  return "analyse" in step ? [`analysis ${JSON.stringify(step.analyse)} fails`] : []
}
