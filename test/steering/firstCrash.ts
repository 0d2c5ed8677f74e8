import {
  defineSteering,
  endingStates,
  failureGuards,
  newlyComplete,
  podsFailure,
  recordingStates,
  reportRollout,
  rolloutAborted,
  rolloutComplete,
  rolloutUnrecorded,
  controllerBehind,
  sharedSteeringCommands,
  undoRecordObsolete
} from "../../src/strategies.ts"
import type { SteeringObservation } from "../../src/strategies.ts"

const failureOf = (seen: SteeringObservation): string | undefined =>
  podsFailure(seen, { restarts: 0, startTimeoutMillis: 600_000 })

const failure = {
  failureOf,
  failureText: (seen: SteeringObservation) => failureOf(seen) ?? "no container has restarted",
  onFailureOf: () => "undo" as const
}

/** Goes back at the first restart of a container, however long images take to come. */
export const firstCrash = defineSteering({
  state: "firstCrash",
  guards: {
    isControllerBehind: controllerBehind,
    isUnrecorded: rolloutUnrecorded,
    isNewlyComplete: newlyComplete,
    isUndoRecordObsolete: undoRecordObsolete,
    isComplete: rolloutComplete,
    wasAborted: rolloutAborted,
    ...failureGuards(failure)
  },
  commands: {
    ...sharedSteeringCommands(failure),
    reportWatching: (seen) => reportRollout(seen, "Watching", "is rolled out until a container restarts")
  },
  chart: {
    initial: "deciding",
    states: {
      deciding: {
        always: [
          { guard: "isControllerBehind", target: "awaitingController" },
          { guard: "isUnrecorded", target: "beginning" },
          { guard: "isNewlyComplete", target: "recordingComplete" },
          { guard: "isUndoRecordObsolete", target: "deletingUndoRecord" },
          { guard: "isComplete", target: "done" },
          { guard: "wasAborted", target: "givenUp" },
          { guard: "hasFailedWithPodsToDelete", target: "awaitingDeletions" },
          { guard: "mayUndo", target: "undoing" },
          { guard: "hasFailed", target: "givingUp" },
          { target: "watching" }
        ]
      },
      ...recordingStates,
      ...endingStates,
      watching: { entry: ["reportWatching"] },
      givingUp: { entry: ["giveUp"] }
    }
  }
})
