import {
  createNext,
  reportCollision,
  resizeNext,
  shrinkPrevious
} from "../../src/kubernetes/apps/deploymentCommands.ts"
import { isNameTaken, isNextMissing } from "../../src/kubernetes/apps/revisions/newReplicaSet.ts"
import { fencepostBounds, planNext, planPrevious } from "../../src/kubernetes/apps/rollingUpdate.ts"
import { wasComplete } from "../../src/kubernetes/apps/progress.ts"
import { defineStrategy } from "./strategy.ts"

/**
 * Replaces Pods a few at a time, within maxSurge and maxUnavailable. Each look scales in one direction only, so that
 * no Pod is counted twice.
 */
export const rollingUpdate = defineStrategy({
  type: "RollingUpdate",
  state: "rollingUpdate",
  isCreating: isNextMissing,
  bounds: fencepostBounds,
  ignoresTerminating: true,
  guards: {
    isNameTaken,
    isNextMissing,
    mayResizeNew: (observation) => planNext(observation).length > 0,
    mayScaleDownOld: (observation) => planPrevious(observation).length > 0,
    isDone: wasComplete
  },
  commands: { createNext, reportCollision, resizeNext, shrinkPrevious },
  chart: {
    description: "New Pods come and old ones go, a few at a time: one step a look.",
    initial: "deciding",
    states: {
      deciding: {
        description: "What is the next step?",
        always: [
          { guard: "isNameTaken", target: "avoidingCollision" },
          { guard: "isNextMissing", target: "creatingNew" },
          { guard: "mayResizeNew", target: "scalingUp" },
          { guard: "mayScaleDownOld", target: "scalingDown" },
          { guard: "isDone", target: "done" },
          { target: "awaitingPods" }
        ]
      },
      avoidingCollision: {
        description: "Another ReplicaSet has the name: count the collision and look again under a new hash.",
        entry: ["reportCollision"]
      },
      creatingNew: {
        description: "The first ReplicaSet of this revision, as large as the surge leaves room for.",
        entry: ["createNext", "reportStatus"]
      },
      scalingUp: {
        description: "The new ReplicaSet takes the room there is under the surge.",
        entry: ["resizeNext", "reportStatus"]
      },
      scalingDown: {
        description: "Old Pods go: unavailable ones first, then as many as availability allows.",
        entry: ["shrinkPrevious", "reportStatus"]
      },
      awaitingPods: {
        description: "Nothing may move until Pods become available or are gone.",
        entry: ["reportStatus"]
      },
      done: { type: "final", description: "Every Pod is of this revision." }
    }
  }
})
