import {
  advanceStep,
  approveComplete,
  approvePods,
  askCheck,
  beginSteps,
  dismissEarly,
  promote,
  recordHold,
  reportApproving,
  reportChecking,
  reportHeld,
  reportHolding,
  reservePods,
  runHook
} from "../../src/kubernetes/steering/stepActions.ts"
import {
  approvablePods,
  approvablePodsMax,
  availableNewPodCount,
  hasChecksOrHoldsLeft,
  isHeldByUser,
  isHoldStep,
  isPromotable,
  isStepTimeStopped,
  unapprovedPodsOfCompleteRevisions,
  promotionOf,
  reservablePods,
  stepSettingsOf,
  rolloutStepText,
  millisUntilHoldEnds
} from "../../src/kubernetes/steering/rolloutSteps.ts"
import {
  checkProgress,
  isAnswerDue,
  isCheckStep,
  hookJobToStart
} from "../../src/kubernetes/steering/stepChecks.ts"
import {
  isResumable,
  isStepOver,
  stepsFailure,
  untilFailing,
  untilHoldEndsOrFails,
  untilAnswerOrFailure
} from "../../src/kubernetes/steering/stepProgress.ts"
import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { currentRecord } from "../../src/kubernetes/steering/steeringObservation.ts"
import { explainGuard } from "../guards/guard.ts"
import {
  newlyComplete,
  requestTooLate,
  rolloutAborted,
  rolloutComplete,
  rolloutUnrecorded,
  controllerBehind,
  undoRecordObsolete
} from "./sharedSteeringGuards.ts"
import {
  endingStates,
  failureGuards,
  recordingStates,
  sharedSteeringCommands
} from "./sharedSteeringStates.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"

const failureText = (seen: SteeringObservation): string =>
  stepsFailure(seen) ?? `${countText(seen.newPods.length, "new Pod")}, within the failures that are allowed`

const failure = {
  failureOf: stepsFailure,
  failureText,
  onFailureOf: (seen: SteeringObservation) => stepSettingsOf(seen).onFailure
}

const countsText = (seen: SteeringObservation): string =>
  `${rolloutStepText(seen)}; ${availableNewPodCount(seen)} of ${approvablePodsMax(seen)} are available`

const checkText = (seen: SteeringObservation): string => `${rolloutStepText(seen)}; ${checkProgress(seen)}`

const isHoldRecorded = (seen: SteeringObservation): boolean => currentRecord(seen)?.isHeld === true

const heldText = (seen: SteeringObservation): string =>
  `${isHeldByUser(seen) ? "held" : "not held"} by its user, recorded as ${isHoldRecorded(seen) ? "held" : "not held"}`

const promotionText = (seen: SteeringObservation): string =>
  `promoted: ${JSON.stringify(promotionOf(seen) ?? "no")}; ${rolloutStepText(seen)}`

export const stepGuards = {
  hasPendingComplete: explainGuard(
    (seen: SteeringObservation) => unapprovedPodsOfCompleteRevisions(seen).length > 0,
    "Pods of a complete revision wait",
    (seen) => countText(unapprovedPodsOfCompleteRevisions(seen).length, "Pod")
  ),
  isControllerBehind: controllerBehind,
  isUnrecorded: rolloutUnrecorded,
  isNewlyComplete: explainGuard(
    (seen: SteeringObservation) => newlyComplete(seen) && !hasChecksOrHoldsLeft(seen),
    "complete, without a step left, and its ReplicaSet unmarked",
    (seen) => `${newlyComplete.reason?.(seen) ?? ""}; ${rolloutStepText(seen)}`
  ),
  isUndoRecordObsolete: undoRecordObsolete,
  isRequestTooLate: requestTooLate,
  isComplete: rolloutComplete,
  wasAborted: rolloutAborted,
  ...failureGuards(failure),
  isHoldUnrecorded: explainGuard(
    (seen: SteeringObservation) => isStepTimeStopped(seen) !== isHoldRecorded(seen) || isResumable(seen),
    "a hold or a size of 0 begins or ends, or its controller was down",
    (seen) => `${heldText(seen)}, ${countText(seen.deployment.spec.replicas, "replica")}`
  ),
  isHeld: explainGuard(isHeldByUser, "its user holds it", heldText),
  mayPromote: explainGuard(isPromotable, "it is promoted", promotionText),
  isPromotionTooEarly: explainGuard(
    (seen: SteeringObservation) => promotionOf(seen) !== undefined,
    "promoted, though the step is no hold",
    promotionText
  ),
  mayApprove: explainGuard(
    (seen: SteeringObservation) => approvablePods(seen).length > 0,
    "Pods may be approved",
    (seen) => `${countText(approvablePods(seen).length, "Pod")}; ${countsText(seen)}`
  ),
  mayReserve: explainGuard(
    (seen: SteeringObservation) => reservablePods(seen).length > 0,
    "the step has room for Pods that are up",
    (seen) => `${countText(reservablePods(seen).length, "Pod")}; ${countsText(seen)}`
  ),
  isStepOver: explainGuard(isStepOver, "the step is over", (seen) => {
    const leftMillis = millisUntilHoldEnds(seen)
    return `${countsText(seen)}${leftMillis === undefined ? "" : `; ${leftMillis} ms are left`}`
  }),
  mayRun: explainGuard(
    (seen: SteeringObservation) => hookJobToStart(seen) !== undefined,
    "the Job of its hook is to start",
    checkText
  ),
  mayAsk: explainGuard(isAnswerDue, "the next answer of its check is due", checkText),
  isChecking: explainGuard(isCheckStep, "the step is a hook or an analysis", checkText),
  isHolding: explainGuard(isHoldStep, "the step is a hold", rolloutStepText)
}

export const stepDelays = { untilFailing, untilHoldEndsOrFails, untilAnswerOrFailure }

export const stepCommands = {
  ...sharedSteeringCommands(failure),
  beginRollout: beginSteps,
  approveComplete,
  dismissEarly,
  recordHold,
  promote,
  approvePods,
  reservePods,
  advanceStep,
  runHook,
  askCheck,
  reportApproving,
  reportChecking,
  reportHolding,
  reportHeld
}

/**
 * Transitions of `deciding` (`beforeSteps`, `takeSteps`) and `continuing` (the others), in this order; a chart may add
 * transitions between the lists.
 */
export const stepTransitions = {
  beforeSteps: [
    { guard: "hasPendingComplete", target: "approvingComplete" },
    { guard: "isControllerBehind", target: "awaitingController" }
  ],
  takeSteps: [
    { guard: "isUnrecorded", target: "beginning" },
    { guard: "isNewlyComplete", target: "recordingComplete" },
    { guard: "isUndoRecordObsolete", target: "deletingUndoRecord" },
    { guard: "isRequestTooLate", target: "dismissingLate" },
    { guard: "isComplete", target: "done" },
    { guard: "wasAborted", target: "givenUp" },
    { guard: "hasFailedWithPodsToDelete", target: "awaitingDeletions" },
    { guard: "mayUndo", target: "undoing" },
    { guard: "hasFailed", target: "givingUp" },
    { guard: "isHoldUnrecorded", target: "recordingHold" },
    { guard: "isHeld", target: "held" },
    { guard: "mayPromote", target: "promoting" },
    { guard: "isPromotionTooEarly", target: "dismissingEarly" },
    { guard: "mayApprove", target: "approving" },
    { target: "continuing" }
  ],
  reservePods: [{ guard: "mayReserve", target: "reserving" }],
  endStep: [{ guard: "isStepOver", target: "advancing" }],
  waitInStep: [
    { guard: "mayRun", target: "running" },
    { guard: "mayAsk", target: "asking" },
    { guard: "isChecking", target: "checking" },
    { guard: "isHolding", target: "holding" },
    { target: "awaitingPods" }
  ]
} as const

export const stepStates = {
  approvingComplete: {
    description: "Approves Pods of revisions that were complete: no step holds up what served before.",
    entry: ["approveComplete"]
  },
  ...recordingStates,
  dismissingLate: endingStates.dismissingLate,
  awaitingDeletions: endingStates.awaitingDeletions,
  undoing: endingStates.undoing,
  givingUp: {
    description: "The rollout failed and must not be taken back: records why, and approves no more Pods.",
    entry: ["giveUp"]
  },
  givenUp: endingStates.givenUp,
  recordingHold: {
    description: "Records that the time of the step stands still, or that it begins anew.",
    entry: ["recordHold"]
  },
  held: { description: "The user holds the rollout: no step is taken.", entry: ["reportHeld"] },
  promoting: { description: "Goes to the next step, or to the end.", entry: ["promote"] },
  dismissingEarly: {
    description: "Removes a promotion that came while no step holds.",
    entry: ["dismissEarly"]
  },
  // `reserving` has recorded the Pods: a controller that takes over approves none beyond the step. Approved Pods change
  // none of the guards of `continuing`.
  approving: {
    description: "Opens the readiness gates of Pods on record.",
    entry: ["approvePods"],
    always: [{ target: "continuing" }]
  },
  continuing: {
    description: "What is next in the present step?",
    always: [...stepTransitions.reservePods, ...stepTransitions.endStep, ...stepTransitions.waitInStep]
  },
  reserving: {
    description: "Puts the Pods that are approved next on record.",
    entry: ["reservePods", "reportApproving"]
  },
  advancing: { description: "The step is over: records the next one.", entry: ["advanceStep"] },
  running: {
    description: "Starts the Job of the step's hook.",
    entry: ["runHook"],
    // The API server may refuse the Job, and retries come ever later.
    lookAgain: { after: "untilAnswerOrFailure" }
  },
  asking: {
    description: "Sends the query of the step's hook or analysis, and puts the answer on record.",
    entry: ["askCheck"]
  },
  checking: {
    description: "Waits for the Job of a hook, or until the next answer is due.",
    entry: ["reportChecking"],
    lookAgain: { after: "untilAnswerOrFailure" }
  },
  holding: {
    description: "Waits for the end of a hold, or for a promotion.",
    entry: ["reportHolding"],
    lookAgain: { after: "untilHoldEndsOrFails" }
  },
  awaitingPods: {
    description: "Waits for Pods of the new revision to be up, and then available.",
    entry: ["reportApproving"],
    lookAgain: { after: "untilFailing" }
  },
  done: endingStates.done
} as const
