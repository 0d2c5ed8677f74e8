import {
  createWhole,
  reportCollision,
  startNext,
  stopPrevious
} from "../../src/kubernetes/apps/deploymentCommands.ts"
import { activeReplicaSets, specReplicas, statusReplicas } from "../../src/kubernetes/apps/replicaCounts.ts"
import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { isPreviousRunning, planStart, planStop } from "../../src/kubernetes/apps/recreate.ts"
import { controllerOf, isTerminating } from "../../src/kubernetes/meta/ownerReferences.ts"
import { isPodFinished } from "../../src/kubernetes/pods/podState.ts"
import { explainGuard } from "../guards/guard.ts"
import { nameTaken, nextMissing, reportedComplete, resizesText } from "./sharedGuards.ts"
import { defineStrategy } from "./strategy.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { StrategySentences } from "./strategy.ts"

const waitSentences: StrategySentences = (observation, pods) => {
  if (!isPreviousRunning(observation)) return []
  const old = pods.filter(
    (pod) => controllerOf(pod)?.uid !== observation.next?.metadata.uid && !isPodFinished(pod)
  )
  const terminating = old.filter(isTerminating).length
  const terminatingText = terminating === 0 ? "" : ` (${terminating} terminating)`
  return [
    `Recreate begins no new Pod before every old one has ended: ${old.length} ` +
      `${old.length === 1 ? "has" : "have"} not${terminatingText}.`
  ]
}

const mayStopOld = explainGuard(
  (observation: DeploymentObservation) => planStop(observation).length > 0,
  "old Pods are still asked for",
  (seen) =>
    `${countText(activeReplicaSets(seen.previous).length, "old ReplicaSet")} asked to run ${countText(specReplicas(seen.previous), "Pod")}` +
    `: ${resizesText(planStop(seen), "none to stop")}`
)

const mayStartNew = explainGuard(
  (observation: DeploymentObservation) => planStart(observation).length > 0,
  "fewer new Pods than desired",
  (seen) => {
    const newReplicas = seen.next?.spec.replicas ?? 0
    return `desired ${seen.deployment.spec.replicas}, new ${newReplicas}: ${resizesText(planStart(seen), "nothing to start")}`
  }
)

/** Scales all old ReplicaSets down first and creates no new Pod before the last old one is gone or finished. */
export const recreate = defineStrategy({
  type: "Recreate",
  state: "recreate",
  isCreating: (observation) =>
    !mayStopOld(observation) && !isPreviousRunning(observation) && nextMissing(observation),
  // A rollback, too, creates the ReplicaSet at its full size.
  create: createWhole,
  stopsOldFirst: true,
  sentences: waitSentences,
  guards: {
    mayStopOld,
    isOldRunning: explainGuard(
      isPreviousRunning,
      "old Pods are still there",
      (seen) =>
        `old ReplicaSets report ${countText(statusReplicas(seen.previous), "Pod")}, ` +
        `${seen.podsUnderPrevious} of theirs have not come to an end`
    ),
    isNameTaken: nameTaken,
    isNextMissing: nextMissing,
    mayStartNew,
    isDone: reportedComplete
  },
  commands: { stopPrevious, createWhole, reportCollision, startNext },
  chart: {
    description: "Stops all old Pods before it creates a new one.",
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
        description: "Scales every old ReplicaSet to 0 at once.",
        entry: ["stopPrevious", "reportStatus"]
      },
      awaitingTermination: {
        description: "Old Pods still exist; terminating Pods count.",
        entry: ["reportStatus"]
      },
      avoidingCollision: {
        description: "Another ReplicaSet has the name: increments collisionCount, which gives a new hash.",
        entry: ["reportCollision"]
      },
      creatingNew: {
        description: "Creates the ReplicaSet of this revision at its full size.",
        entry: ["createWhole", "reportStatus"]
      },
      scalingUpNew: {
        description: "Scales the new ReplicaSet to its full size in one step.",
        entry: ["startNext", "reportStatus"]
      },
      awaitingPods: {
        description: "Waits until the new Pods are available.",
        entry: ["reportStatus"]
      },
      done: { type: "final", description: "All Pods are of this revision." }
    }
  }
})
