import {
  beginRollout,
  deleteUndoRecord,
  dismissLate,
  giveUpRollout,
  recordComplete,
  reportComplete,
  reportGivenUp,
  undoRolloutFor,
  whyNotUndone
} from "../../src/kubernetes/steering/steeringActions.ts"
import { explainGuard } from "../guards/guard.ts"
import { hasPodsToDelete } from "../../src/kubernetes/steering/steeringObservation.ts"
import type { AutomaticRollbackSettings } from "../../src/kubernetes/steering/steeringSettings.ts"
import type { SteeringObservation } from "../../src/kubernetes/steering/steeringObservation.ts"

export const recordingStates = {
  awaitingController: {
    description:
      "The Deployment's controller has not yet given the template its ReplicaSet and its revision number."
  },
  beginning: {
    description: "Records on the Deployment which rollout is steered and when it began.",
    entry: ["beginRollout"]
  },
  recordingComplete: {
    description: "Writes on the ReplicaSet that its revision was complete, so that it may be gone back to.",
    entry: ["recordComplete"]
  },
  deletingUndoRecord: {
    description:
      "A new revision is complete: forgets which rollouts were taken back, so that each may be taken back again.",
    entry: ["deleteUndoRecord"]
  }
} as const

export const endingStates = {
  dismissingLate: {
    description: "Removes requests to promote or to abort a rollout that is over, or is being taken back.",
    entry: ["dismissLate"]
  },
  awaitingDeletions: {
    description: "A ReplicaSet has yet to delete Pods that still count as available: rolls back after that.",
    tags: "awaitsCounts"
  },
  undoing: {
    description: "Writes the template of the last revision that was complete, and why, in one write.",
    entry: ["undo"]
  },
  givenUp: {
    description: "The rollout failed and stays as it is until another template is applied: says why.",
    entry: ["reportGivenUp"]
  },
  done: { type: "final", description: "The revision is complete.", entry: ["reportComplete"] }
} as const

interface Failure {
  /** Undefined while the rollout has not failed. */
  readonly failureOf: (seen: SteeringObservation) => string | undefined
  /** The text that is shown with the guards, also without a failure. */
  readonly failureText: (seen: SteeringObservation) => string
  readonly onFailureOf: (seen: SteeringObservation) => AutomaticRollbackSettings["onFailure"]
}

/** The guards of the transitions to `awaitingDeletions`, `undoing` and `givingUp`. */
export const failureGuards = ({ failureOf, failureText, onFailureOf }: Failure) => ({
  hasFailedWithPodsToDelete: explainGuard(
    (seen: SteeringObservation) => failureOf(seen) !== undefined && hasPodsToDelete(seen),
    "it fails, and old Pods are being deleted",
    failureText
  ),
  mayUndo: explainGuard(
    (seen: SteeringObservation) =>
      failureOf(seen) !== undefined && whyNotUndone(seen, onFailureOf(seen)) === undefined,
    "it fails, and may be taken back",
    failureText
  ),
  hasFailed: explainGuard(
    (seen: SteeringObservation) => failureOf(seen) !== undefined,
    "the new revision fails",
    (seen) => `${failureText(seen)}. ${whyNotUndone(seen, onFailureOf(seen)) ?? ""}`.trimEnd()
  )
})

/** The commands of all states above, and of `givingUp`, which each chart defines itself. */
export const sharedSteeringCommands = ({ failureOf, onFailureOf }: Omit<Failure, "failureText">) => ({
  beginRollout,
  recordComplete,
  deleteUndoRecord,
  dismissLate,
  undo: (seen: SteeringObservation) => undoRolloutFor(seen, failureOf(seen) ?? ""),
  giveUp: (seen: SteeringObservation) => giveUpRollout(seen, failureOf(seen) ?? ""),
  reportGivenUp: (seen: SteeringObservation) =>
    reportGivenUp(seen, () => whyNotUndone(seen, onFailureOf(seen))),
  reportComplete
})
