import { annotationOf, revisionAnnotation } from "../../../kubernetes/apps/revisions/revisions.ts"
import { countActivePods, availablePods, stateKey } from "./steeredState.ts"
import { countPods } from "./steeredPods.ts"
import { abortFailure, deadlineFailure } from "../../../kubernetes/steering/rolloutFailures.ts"
import { stepsFailure } from "../../../kubernetes/steering/stepProgress.ts"
import {
  currentRecord,
  isMarkedComplete,
  hasPodsToDelete,
  isControllerBehind
} from "../../../kubernetes/steering/steeringObservation.ts"
import { obsoleteHookJobs } from "../../../kubernetes/steering/hookJobs.ts"
import { hasSteps } from "../../../kubernetes/steering/stepPlan.ts"
import { holdAnnotation, promoteAnnotation } from "../../../kubernetes/steering/steeringNames.ts"
import { isCheckStep } from "../../../kubernetes/steering/stepChecks.ts"
import {
  isHeldByUser,
  isHoldStep,
  unapprovedPodsOfCompleteRevisions,
  stepOrApproveAll,
  podsAllowedByStep,
  waitsForPromotion
} from "../../../kubernetes/steering/rolloutSteps.ts"
import { isPreviewOfOtherRevision } from "../../../kubernetes/steering/previewService.ts"
import {
  hasObsoleteUndoRecord,
  requestAnnotations,
  whyNotUndone
} from "../../../kubernetes/steering/steeringActions.ts"
import { recordOf } from "../../../kubernetes/steering/steeringRecord.ts"
import { rolloutBounds } from "../../../../machines/strategies/strategies.ts"
import { specReplicasOf } from "../modelPodCounts.ts"
import type { Deployment } from "../../../kubernetes/meta/objects.ts"
import type { FailureSettings, StepSettings } from "../../../kubernetes/steering/steeringSettings.ts"
import type { StateInvariant } from "../searchStates.ts"
import type { SteeredState } from "./steeredState.ts"
import type { SteeringDecision } from "./steeringReconciler.ts"
import type { SteeringRecord } from "../../../kubernetes/steering/steeringRecord.ts"
import type { SteeringObservation } from "../../../kubernetes/steering/steeringObservation.ts"

export type SteeringClaim =
  | "floor"
  | "ceiling"
  /** No more Pods are approved than the step allows. */
  | "approvals"
  /** ReplicaSets have the Pods that they ask for, statuses add up, revisions only grow. */
  | "rules"
  /** Each request of a user is followed once, and answered. */
  | "requests"
  /** The condition `charthouse.dev/Steered` tells how far the rollout is. */
  | "reports"
  /** Every order of events ends: the revision is complete, taken back or given up. */
  | "end"
  /** Some order completes the revision. */
  | "success"
  /** A condition that must hold in no state. */
  | `never ${string}`

export type ClaimViolation = readonly [claim: SteeringClaim, explanation: string]

export const stateProblems = (
  state: SteeredState,
  { seen }: SteeringDecision,
  invariants: ReadonlyArray<StateInvariant> = []
): ReadonlyArray<ClaimViolation> => {
  const { replicas } = seen.deployment.spec
  const { availableMin = 0 } = rolloutBounds(seen.deployment)
  const available = availablePods(state)
  const approved = countPods(state.replicaSets[1].pods, ({ isApproved }) => isApproved)
  const allowed = allowedPods(state, seen)
  const counts = { desired: replicas, available, pods: countActivePods(state) }
  return [
    // Each Pod that has failed so far may be missing.
    ...(available >= availableMin - state.failures
      ? []
      : [
          [
            "floor",
            `available >= floor - failures: ${available} >= ${availableMin} - ${state.failures}`
          ] as const
        ]),
    ...(allowed === undefined || approved <= allowed
      ? []
      : [["approvals", `approved <= allowed by the step: ${approved} <= ${allowed}`] as const]),
    ...invariants.flatMap(({ text, violation }) => {
      const explanation = violation(counts)
      return explanation === undefined ? [] : [[`never ${text}`, explanation] as const]
    })
  ]
}

const stepsIn = ({ strategy }: SteeringObservation): StepSettings | undefined =>
  strategy !== undefined && ["canary", "blueGreen"].includes(strategy.name) && hasSteps(strategy.settings)
    ? strategy.settings
    : undefined

const allowedPods = ({ objects }: SteeredState, seen: SteeringObservation): number | undefined => {
  const settings = stepsIn(seen)
  const { deployment, replicaSets } = objects
  const [, newReplicaSet] = replicaSets
  if (settings === undefined) return undefined
  if (newReplicaSet === undefined) return 0
  const record = currentRecord({ deployment, newReplicaSet })
  // Once the rollout is over, its steps do not count.
  return record === undefined
    ? undefined
    : podsAllowedByStep(settings, record.step ?? 0, deployment.spec.replicas)
}

export const decisionProblems = (
  state: SteeredState,
  decision: SteeringDecision
): ReadonlyArray<ClaimViolation> => {
  const { seen, commands, outcomes } = decision
  const [firstWrite] = writesOf(commands)
  const before = stateKey(state)
  if (firstWrite === undefined && isFailureIgnored(seen))
    return [["end", "the new revision fails, and is neither taken back nor given up"]]
  if (isHookLeftRunning(decision)) return [["end", "the Job of a hook runs on, though its step is over"]]
  if (firstWrite !== undefined && outcomes.every((outcome) => stateKey(outcome.state) === before))
    return [["end", `each look does the same again: ${firstWrite.type}`]]
  // A report may be late while the controller has other writes or waits for a ReplicaSet.
  const report = reportProblem(decision)
  const mayBeLate = firstWrite !== undefined || isControllerBehind(seen)
  return mayBeLate || report === undefined ? [] : [["reports", report]]
}

const isHookLeftRunning = ({ seen, commands }: SteeringDecision): boolean =>
  obsoleteHookJobs(seen).length > 0 &&
  !commands.some(({ type }) => type === "deleteJobs" || type === "approve")

/** Reports are no part of a state, nor are the Events beside them. */
const writesOf = (commands: SteeringDecision["commands"]): SteeringDecision["commands"] => {
  const hasReport = commands.some(({ type }) => type === "reportSteering")
  return commands.filter(
    ({ type }) => type !== "reportSteering" && type !== "lookAgain" && !(hasReport && type === "recordEvent")
  )
}

/** The steering may wait for the ReplicaSet of the present template and for the deletion of Pods. */
const isFailureIgnored = (seen: SteeringObservation): boolean => {
  if (isControllerBehind(seen) || isMarkedComplete(seen) || hasPodsToDelete(seen)) return false
  if (currentRecord(seen)?.aborted !== undefined) return false
  if (stepsIn(seen) !== undefined) return stepsFailure(seen) !== undefined
  return (
    seen.strategy?.name === "automaticRollback" && (abortFailure(seen) ?? deadlineFailure(seen)) !== undefined
  )
}

const expectedReason = (seen: SteeringObservation): string => {
  if (isMarkedComplete(seen)) return "Complete"
  if (stepsIn(seen) === undefined) return "Watching"
  if (isHeldByUser(seen)) return "HeldByUser"
  if (isHoldStep(seen)) return "Holding"
  return isCheckStep(seen) ? "Checking" : "Approving"
}

const reportProblem = ({ seen, commands }: SteeringDecision): string | undefined => {
  const reports = commands.flatMap((command) =>
    command.type === "reportSteering" ? [command.condition] : []
  )
  const expected = expectedReason(seen)
  // A condition that is not True is about a rollback, or about something that is missing.
  const wrong = reports.find((report) => report?.status === "True" && report.reason !== expected)
  return wrong === undefined ? undefined : `reports ${wrong.reason} and is ${expected}`
}

export const violationsOfWrite = (
  { objects: { deployment: before } }: SteeredState,
  { objects: { deployment: after } }: SteeredState
): ReadonlyArray<ClaimViolation> => {
  if (before === after) return []
  const [recordBefore, record] = [recordOf(before), recordOf(after)]
  const revision = annotationOf(after, revisionAnnotation)
  const isNewRollout = record !== undefined && !isSameRollout(recordBefore, record)
  if (isNewRollout && record.revision !== revision)
    return [["rules", `records revision ${record.revision}, and the Deployment has ${revision ?? "none"}`]]
  const isStepTaken = !isNewRollout && (record?.step ?? 0) > (recordBefore?.step ?? 0)
  if (!isStepTaken) return []
  if (annotationOf(before, holdAnnotation) !== undefined)
    return [["requests", "takes a step while its user holds it"]]
  const promotion = annotationOf(before, promoteAnnotation)
  return promotion === undefined || promotion === recordedStepText(before)
    ? []
    : [["requests", `follows at step ${recordedStepText(before)} what was asked for at step ${promotion}`]]
}

const isSameRollout = (one: SteeringRecord | undefined, other: SteeringRecord): boolean =>
  one?.hash === other.hash && one.revision === other.revision

export const recordedStepText = (deployment: Deployment): string => String(recordOf(deployment)?.step ?? 0)

/** For a state in which nothing more happens. Undefined if the rollout may end there. */
export const stallProblem = (state: SteeredState, { seen }: SteeringDecision): ClaimViolation | undefined => {
  const [record, settings] = [currentRecord(seen), stepsIn(seen)]
  const isOver = isMarkedComplete(seen) || record?.aborted !== undefined
  const hasRequest = requestAnnotations.some((name) => annotationOf(seen.deployment, name) !== undefined)
  if (hasRequest && (settings === undefined || isOver || !isHeldByUser(seen)))
    return ["requests", "what its user asks for gets no answer"]
  if (unapprovedPodsOfCompleteRevisions(seen).length > 0)
    return ["end", "a Pod of a revision that was complete waits for its approval"]
  if (settings !== undefined && isPreviewOfOtherRevision(seen))
    return ["end", "its preview selects another revision"]
  if (isMarkedComplete(seen))
    return hasObsoleteUndoRecord(seen)
      ? ["end", "what was taken back is still on record, though another revision is complete"]
      : undefined
  if (record?.aborted !== undefined) {
    const { onFailure = "undo" } = (seen.strategy?.settings ?? {}) as Partial<FailureSettings>
    return whyNotUndone(seen, onFailure) === undefined
      ? ["end", "the new revision failed, may be taken back, and is not"]
      : undefined
  }
  if (isHeldByUser(seen))
    return settings === undefined || record?.isHeld === true
      ? undefined
      : ["requests", "its user holds it, and that is not on record"]
  if (settings !== undefined && waitsForPromotion(stepOrApproveAll(seen))) return undefined
  const [older, newer] = state.replicaSets.map(({ counts }) => specReplicasOf(counts))
  return [
    "end",
    `nothing more happens with ${older} Pods wanted of the first revision and ${newer} of the second`
  ]
}
