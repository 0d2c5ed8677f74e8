import {
  createWhole,
  reportCollision,
  startNext,
  stopPrevious
} from "../../src/kubernetes/apps/deploymentCommands.ts"
import { isNameTaken, isNextMissing } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { isPreviousRunning, planStart, planStop } from "../../src/kubernetes/apps/recreate.ts"
import { wasComplete } from "../../src/kubernetes/apps/progress.ts"
import { defineStrategy } from "./strategy.ts"
import type { StrategyGuard } from "./strategy.ts"

const mayStopOld: StrategyGuard = (observation) => planStop(observation).length > 0

/** Scales all old ReplicaSets down first and creates no new Pod before the last old one is gone or finished. */
export const recreate = defineStrategy({
  type: "Recreate",
  state: "recreate",
  isCreating: (observation) =>
    !mayStopOld(observation) && !isPreviousRunning(observation) && isNextMissing(observation),
  create: createWhole,
  stopsOldFirst: true,
  guards: {
    mayStopOld,
    isOldRunning: isPreviousRunning,
    isNameTaken,
    isNextMissing,
    mayStartNew: (observation) => planStart(observation).length > 0,
    isDone: wasComplete
  },
  commands: { stopPrevious, createWhole, reportCollision, startNext },
  chart: {
    description: "All old Pods go before any new one comes.",
    initial: "deciding",
    states: {
      deciding: {
        description: "What is the next step?",
        always: [
          { guard: "mayStopOld", target: "scalingDownOld" },
          { guard: "isOldRunning", target: "awaitingTermination" },
          { guard: "isNameTaken", target: "avoidingCollision" },
          { guard: "isNextMissing", target: "creatingNew" },
          { guard: "mayStartNew", target: "scalingUpNew" },
          { guard: "isDone", target: "done" },
          { target: "awaitingPods" }
        ]
      },
      scalingDownOld: {
        description: "Every old ReplicaSet to 0, all at once.",
        entry: ["stopPrevious", "reportStatus"]
      },
      awaitingTermination: {
        description: "Old Pods are still there; terminating ones count.",
        entry: ["reportStatus"]
      },
      avoidingCollision: {
        description: "Another ReplicaSet has the name: count the collision and look again under a new hash.",
        entry: ["reportCollision"]
      },
      creatingNew: {
        description: "The first ReplicaSet of this revision, at its full size.",
        entry: ["createWhole", "reportStatus"]
      },
      scalingUpNew: {
        description: "The new ReplicaSet to its full size in one step.",
        entry: ["startNext", "reportStatus"]
      },
      awaitingPods: {
        description: "Nothing is left to do until the new Pods are available.",
        entry: ["reportStatus"]
      },
      done: { type: "final", description: "Every Pod is of this revision." }
    }
  }
})
