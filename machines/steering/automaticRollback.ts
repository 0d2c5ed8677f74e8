import {
  beginRollout,
  forgetUndone,
  holdRollout,
  recordComplete,
  reportComplete,
  reportRollout,
  undoRolloutFor,
  whyNotUndone
} from "../../src/kubernetes/steering/steeringActions.ts"
import {
  deadlineFailure,
  podsFailure,
  untilCannotStart
} from "../../src/kubernetes/steering/rolloutFailures.ts"
import { explainGuard } from "../guards/guard.ts"
import {
  newlyComplete,
  rolloutAborted,
  rolloutComplete,
  rolloutUnrecorded,
  rolloutUnsettled,
  undoneForgettable
} from "./sharedSteeringGuards.ts"
import { defineSteering } from "./steeringStrategy.ts"
import type { AutomaticRollbackSettings } from "../../src/kubernetes/steering/steeringSettings.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"

/** The annotation has been decoded with the chart's own schema before the chart sees it. */
const settingsOf = ({ strategy }: SteeringObservation): AutomaticRollbackSettings =>
  strategy?.settings as AutomaticRollbackSettings

const failureAt = (seen: SteeringObservation): string | undefined =>
  podsFailure(seen, settingsOf(seen)) ?? deadlineFailure(seen)

const failureText = (seen: SteeringObservation): string =>
  failureAt(seen) ?? `${seen.newPods.length} new Pods, within their budget`

/** Goes back to the last revision that was complete when a new one fails. Needs no readiness gate. */
export const automaticRollback = defineSteering({
  state: "automaticRollback",
  guards: {
    isUnsettled: rolloutUnsettled,
    isUnrecorded: rolloutUnrecorded,
    isNewlyComplete: newlyComplete,
    isForgettable: undoneForgettable,
    isComplete: rolloutComplete,
    wasAborted: rolloutAborted,
    mayUndo: explainGuard(
      (seen: SteeringObservation) =>
        failureAt(seen) !== undefined && whyNotUndone(seen, settingsOf(seen).onFailure) === undefined,
      "it fails, and may be taken back",
      failureText
    ),
    hasFailed: explainGuard(
      (seen: SteeringObservation) => failureAt(seen) !== undefined,
      "the new revision fails",
      (seen) => `${failureText(seen)}. ${whyNotUndone(seen, settingsOf(seen).onFailure) ?? ""}`.trimEnd()
    )
  },
  delays: { untilCannotStart: (seen) => untilCannotStart(seen, settingsOf(seen)) },
  commands: {
    beginRollout,
    recordComplete,
    forgetUndone,
    undo: (seen) => undoRolloutFor(seen, failureAt(seen) ?? ""),
    hold: (seen) =>
      holdRollout(seen, failureAt(seen) ?? "", whyNotUndone(seen, settingsOf(seen).onFailure) ?? ""),
    reportWatching: (seen) => reportRollout(seen, "Watching", "is rolled out, and taken back if it fails"),
    reportComplete
  },
  chart: {
    description: "Takes a rollout back when its new revision fails.",
    initial: "deciding",
    states: {
      deciding: {
        description: "What is the next step?",
        always: [
          { guard: "isUnsettled", target: "awaitingController" },
          { guard: "isUnrecorded", target: "beginning" },
          { guard: "isNewlyComplete", target: "recordingComplete" },
          { guard: "isForgettable", target: "forgettingUndone" },
          { guard: "isComplete", target: "done" },
          { guard: "wasAborted", target: "givenUp" },
          { guard: "mayUndo", target: "undoing" },
          { guard: "hasFailed", target: "givingUp" },
          { target: "watching" }
        ]
      },
      awaitingController: {
        description:
          "The Deployment's controller has not yet given the template its ReplicaSet and its number."
      },
      beginning: {
        description: "Records on the Deployment which rollout it is and when it began.",
        entry: ["beginRollout"]
      },
      recordingComplete: {
        description:
          "Writes on the ReplicaSet that its revision was complete, so that it may be gone back to.",
        entry: ["recordComplete"]
      },
      forgettingUndone: {
        description: "A new revision is complete: earlier rollbacks do not count any longer.",
        entry: ["forgetUndone"]
      },
      watching: {
        description: "The rollout is in progress. Pods that cannot start have until their budget is over.",
        entry: ["reportWatching"],
        lookAgain: { after: "untilCannotStart" }
      },
      undoing: {
        description: "Writes the template of the last revision that was complete, and why, in one write.",
        entry: ["undo"]
      },
      givingUp: {
        description: "The rollout failed and must not be taken back: says why, and leaves the template.",
        entry: ["hold"]
      },
      givenUp: { description: "The rollout failed and stays as it is until another template is applied." },
      done: {
        type: "final",
        description: "The revision is complete.",
        entry: ["reportComplete"]
      }
    }
  }
})
