import {
  createAtFullSize,
  reportCollision,
  startNew,
  stopOld
} from "../../src/kubernetes/apps/deploymentCommands.ts"
import { activeReplicaSets, specReplicas, statusReplicas } from "../../src/kubernetes/apps/replicaCounts.ts"
import { countText } from "../../src/kubernetes/meta/text/countText.ts"
import { areOldPodsLeft, planStart, planStop } from "../../src/kubernetes/apps/recreate.ts"
import { controllerOf } from "../../src/kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../src/kubernetes/meta/deletion.ts"
import { isPodFinished } from "../../src/kubernetes/pods/podState.ts"
import { explainGuard } from "../guards/guard.ts"
import {
  newReplicaSetNameTaken,
  newReplicaSetMissing,
  isReportedComplete,
  resizesText
} from "./sharedGuards.ts"
import { defineStrategy } from "./strategy.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { StrategySentences } from "./strategy.ts"

const waitSentences: StrategySentences = (observation, pods) => {
  if (!areOldPodsLeft(observation)) return []
  const oldPods = pods.filter(
    (pod) => controllerOf(pod)?.uid !== observation.newReplicaSet?.metadata.uid && !isPodFinished(pod)
  )
  const terminating = oldPods.filter(isTerminating).length
  const terminatingText = terminating === 0 ? "" : ` (${terminating} terminating)`
  return [
    `Recreate begins no new Pod before every old one has ended: ${oldPods.length} ` +
      `${oldPods.length === 1 ? "has" : "have"} not${terminatingText}.`
  ]
}

const mayStopOld = explainGuard(
  (observation: DeploymentObservation) => planStop(observation).length > 0,
  "old Pods are still asked for",
  (seen) =>
    `${countText(activeReplicaSets(seen.oldReplicaSets).length, "old ReplicaSet")} asked to run ${countText(specReplicas(seen.oldReplicaSets), "Pod")}` +
    `: ${resizesText(planStop(seen), "none to stop")}`
)

const mayStartNew = explainGuard(
  (observation: DeploymentObservation) => planStart(observation).length > 0,
  "fewer new Pods than desired",
  (seen) => {
    const newReplicas = seen.newReplicaSet?.spec.replicas ?? 0
    return `desired ${seen.deployment.spec.replicas}, new ${newReplicas}: ${resizesText(planStart(seen), "nothing to start")}`
  }
)

/** Scales all old ReplicaSets down first and creates no new Pod before the last old one is gone or finished. */
export const recreate = defineStrategy({
  type: "Recreate",
  state: "recreate",
  isCreating: (observation) =>
    !mayStopOld(observation) && !areOldPodsLeft(observation) && newReplicaSetMissing(observation),
  // In a rollback, too, all new Pods start at once.
  create: createAtFullSize,
  stopsOldFirst: true,
  sentences: waitSentences,
  guards: {
    mayStopOld,
    isOldRunning: explainGuard(
      areOldPodsLeft,
      "old Pods are still there",
      (seen) =>
        `old ReplicaSets report ${countText(statusReplicas(seen.oldReplicaSets), "Pod")}, ` +
        `${seen.unfinishedOldPods} of theirs have not come to an end`
    ),
    isNameTaken: newReplicaSetNameTaken,
    isNewMissing: newReplicaSetMissing,
    mayStartNew,
    isDone: isReportedComplete
  },
  commands: { stopOld, createAtFullSize, reportCollision, startNew },
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
          { guard: "isNewMissing", target: "creatingNew" },
          { guard: "mayStartNew", target: "scalingUpNew" },
          { guard: "isDone", target: "done" },
          { target: "awaitingPods" }
        ]
      },
      scalingDownOld: {
        description: "Scales every old ReplicaSet to 0 at once.",
        entry: ["stopOld", "reportStatus"]
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
        entry: ["createAtFullSize", "reportStatus"]
      },
      scalingUpNew: {
        description: "Scales the new ReplicaSet to its full size in one step.",
        entry: ["startNew", "reportStatus"]
      },
      awaitingPods: {
        description: "Waits until the new Pods are available.",
        entry: ["reportStatus"]
      },
      done: { type: "final", description: "All Pods are of this revision." }
    }
  }
})
