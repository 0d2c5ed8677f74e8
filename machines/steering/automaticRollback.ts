import { memoizePerObservation } from "../../src/kubernetes/apps/memoizePerObservation.ts"
import { reportRollout } from "../../src/kubernetes/steering/steeringActions.ts"
import {
  abortFailure,
  deadlineFailure,
  podsFailure,
  millisUntilStartFailure
} from "../../src/kubernetes/steering/rolloutFailures.ts"
import {
  newlyComplete,
  rolloutAborted,
  requestTooLate,
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
import { defineSteering } from "./steeringStrategy.ts"
import { failureWarnings, approvalGateProblems } from "../../src/kubernetes/steering/stepProblems.ts"
import type { AutomaticRollbackSettings } from "../../src/kubernetes/steering/steeringSettings.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"

/** The settings have been checked against the chart's schema before the chart gets them. */
const settingsOf = ({ strategy }: SteeringObservation): AutomaticRollbackSettings =>
  strategy?.settings as AutomaticRollbackSettings

const failureOf = memoizePerObservation(
  (seen: SteeringObservation): string | undefined =>
    abortFailure(seen) ?? podsFailure(seen, settingsOf(seen)) ?? deadlineFailure(seen)
)

const failureText = (seen: SteeringObservation): string =>
  failureOf(seen) ?? `${seen.newPods.length} new Pods, within the failures that are allowed`

const failure = {
  failureOf,
  failureText,
  onFailureOf: (seen: SteeringObservation) => settingsOf(seen).onFailure
}

/** Its Pods need no readiness gate, since it approves none. */
export const automaticRollback = defineSteering({
  state: "automaticRollback",
  problems: (_settings, deployment) => approvalGateProblems(deployment),
  warnings: (settings, deployment) => failureWarnings(settings as AutomaticRollbackSettings, deployment),
  // There are no steps that wait for available Pods.
  awaitedPods: () => undefined,
  guards: {
    isControllerBehind: controllerBehind,
    isUnrecorded: rolloutUnrecorded,
    isNewlyComplete: newlyComplete,
    isUndoRecordObsolete: undoRecordObsolete,
    isRequestTooLate: requestTooLate,
    isComplete: rolloutComplete,
    wasAborted: rolloutAborted,
    ...failureGuards(failure)
  },
  delays: { untilCannotStart: (seen) => millisUntilStartFailure(seen, settingsOf(seen)) },
  commands: {
    ...sharedSteeringCommands(failure),
    reportWatching: (seen) => reportRollout(seen, "Watching", "is rolled out, and taken back if it fails")
  },
  chart: {
    description: "Takes a rollout back when its new revision fails.",
    initial: "deciding",
    states: {
      deciding: {
        description: "What is the next step?",
        always: [
          { guard: "isControllerBehind", target: "awaitingController" },
          { guard: "isUnrecorded", target: "beginning" },
          { guard: "isNewlyComplete", target: "recordingComplete" },
          { guard: "isUndoRecordObsolete", target: "deletingUndoRecord" },
          { guard: "isRequestTooLate", target: "dismissingLate" },
          { guard: "isComplete", target: "done" },
          { guard: "wasAborted", target: "givenUp" },
          { guard: "hasFailedWithPodsToDelete", target: "awaitingDeletions" },
          { guard: "mayUndo", target: "undoing" },
          { guard: "hasFailed", target: "givingUp" },
          { target: "watching" }
        ]
      },
      ...recordingStates,
      dismissingLate: endingStates.dismissingLate,
      watching: {
        description:
          "The rollout is in progress. The setting cannotStart says how long a Pod may be unable to start.",
        entry: ["reportWatching"],
        lookAgain: { after: "untilCannotStart" }
      },
      awaitingDeletions: endingStates.awaitingDeletions,
      undoing: endingStates.undoing,
      givingUp: {
        description: "The rollout failed and must not be taken back: records why, and leaves the template.",
        entry: ["giveUp"]
      },
      givenUp: endingStates.givenUp,
      done: endingStates.done
    }
  }
})
