import {
  createNew,
  reportCollision,
  resizeNew,
  scaleDownOld
} from "../../src/kubernetes/apps/deploymentCommands.ts"
import { specReplicas } from "../../src/kubernetes/apps/replicaCounts.ts"
import {
  newReplicaSetSize,
  planNewSize,
  planOldSizes,
  scaleDownBudget,
  surgeRoom
} from "../../src/kubernetes/apps/rollingUpdate.ts"
import { fencepostBounds } from "../../src/kubernetes/apps/rolloutBounds.ts"
import { explainGuard } from "../guards/guard.ts"
import {
  floorText,
  newReplicaSetNameTaken,
  newReplicaSetMissing,
  isReportedComplete,
  resizesText
} from "./sharedGuards.ts"
import { defineStrategy } from "./strategy.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { IntOrPercent } from "../../src/kubernetes/meta/amounts/intOrPercent.ts"
import type { StrategySentences } from "./strategy.ts"

const scaleUpText = (seen: DeploymentObservation): string => {
  const desired = seen.deployment.spec.replicas
  const desiredTotal = specReplicas(seen.replicaSets)
  const newReplicas = seen.newReplicaSet?.spec.replicas ?? 0
  const resizes = planNewSize(seen)
  if (newReplicas >= desired)
    return `desired ${desired}, new ${newReplicas}: ${resizesText(resizes, "all of them are asked for")}`
  return (
    `desired ${desired} + surge ${seen.surgeMax} - asked for ${desiredTotal} = room for ${Math.max(0, surgeRoom(seen))}: ` +
    resizesText(resizes, `new stays at ${newReplicas}`)
  )
}

const scaleDownText = (seen: DeploymentObservation): string => {
  const old = specReplicas(seen.oldReplicaSets)
  if (old === 0) return "no old Pods are asked for"
  const { floor, newAvailable, available, removable, spare } = scaleDownBudget(seen)
  const floorSum = `${floorText(seen)}${seen.unavailableMax === 0 ? "" : ` = ${floor}`}`
  const resizes = planOldSizes(seen)
  const sum = `${floorSum}; old ${old} + new available ${newAvailable} - floor ${floor} = ${removable} may go`
  if (removable <= 0) return `${sum}: none`
  return `${sum}; available ${available} - floor ${floor} = ${spare} available ones may go: ${resizesText(resizes, "none")}`
}

const waitSentences: StrategySentences = (observation) => {
  const sentences = [...createSentences(observation), ...removeSentences(observation)]
  return sentences.length === 0 ? [] : [...sentences, ...bothZeroSentences(observation)]
}

const createSentences = (observation: DeploymentObservation): ReadonlyArray<string> => {
  const { deployment, newReplicaSet, surgeMax, replicaSets } = observation
  const desired = deployment.spec.replicas
  if (
    newReplicaSet === undefined ||
    newReplicaSet.spec.replicas >= desired ||
    newReplicaSetSize(observation) > newReplicaSet.spec.replicas
  )
    return []
  const surge = deployment.spec.strategy.rollingUpdate?.maxSurge
  return [
    `It may not create more new Pods: desired ${desired} + surge ${surgeMax}${percentText(surge)} = ` +
      `${desired + surgeMax}, and ${specReplicas(replicaSets)} are asked for.`
  ]
}

const removeSentences = (observation: DeploymentObservation): ReadonlyArray<string> => {
  const { deployment, oldReplicaSets, unavailableMax } = observation
  if (specReplicas(oldReplicaSets) === 0 || planOldSizes(observation).length > 0) return []
  const desired = deployment.spec.replicas
  const unavailable = deployment.spec.strategy.rollingUpdate?.maxUnavailable
  const { floor, available } = scaleDownBudget(observation)
  const availableText = available < floor ? `only ${available} are` : `${available} are`
  return [
    `It may not remove more old Pods: desired ${desired}, unavailable at most ${unavailableMax}` +
      `${percentText(unavailable)}, so ${floor} must stay available, and ${availableText}.`
  ]
}

const percentText = (amount: IntOrPercent | undefined): string =>
  typeof amount === "string" ? ` (${amount})` : ""

/** Why one Pod may be unavailable although maxSurge and maxUnavailable both resolve to 0. */
const bothZeroSentences = ({ deployment, surgeMax, unavailableMax }: DeploymentObservation) => {
  const { maxSurge, maxUnavailable } = deployment.spec.strategy.rollingUpdate ?? {}
  const isRaisedToOne = surgeMax === 0 && unavailableMax === 1 && maxUnavailable !== 1
  return isRaisedToOne && resolvesToZero(maxUnavailable, deployment.spec.replicas)
    ? [
        `Surge ${maxSurge ?? 0} and unavailable ${maxUnavailable ?? 0} both amount to 0 Pods; Kubernetes then allows 1 unavailable Pod.`
      ]
    : []
}

const resolvesToZero = (amount: IntOrPercent | undefined, replicas: number): boolean =>
  typeof amount === "string"
    ? Math.floor((replicas * Number.parseInt(amount, 10)) / 100) === 0
    : (amount ?? 0) === 0

/**
 * Replaces Pods a few at a time, within maxSurge and maxUnavailable. A look scales in one direction only, so that no
 * Pod counts twice.
 */
export const rollingUpdate = defineStrategy({
  type: "RollingUpdate",
  state: "rollingUpdate",
  isCreating: newReplicaSetMissing,
  // From maxSurge and maxUnavailable, rounded as Kubernetes does (ResolveFenceposts).
  bounds: fencepostBounds,
  // The strategy reads only ReplicaSets and their statuses.
  ignoresTerminating: true,
  sentences: waitSentences,
  guards: {
    isNameTaken: newReplicaSetNameTaken,
    isNewMissing: newReplicaSetMissing,
    mayResizeNew: explainGuard(
      (observation) => planNewSize(observation).length > 0,
      "room for more new Pods",
      scaleUpText
    ),
    mayScaleDownOld: explainGuard(
      (observation) => planOldSizes(observation).length > 0,
      "old Pods can be spared",
      scaleDownText
    ),
    isDone: isReportedComplete
  },
  commands: { createNew, reportCollision, resizeNew, scaleDownOld },
  chart: {
    description: "Replaces old Pods by new ones, a few at a time, one step per look.",
    initial: "deciding",
    states: {
      deciding: {
        description: "What is the next step?",
        always: [
          { guard: "isNameTaken", target: "avoidingCollision" },
          { guard: "isNewMissing", target: "creatingNew" },
          { guard: "mayResizeNew", target: "scalingUp" },
          { guard: "mayScaleDownOld", target: "scalingDown" },
          { guard: "isDone", target: "done" },
          { target: "awaitingPods" }
        ]
      },
      avoidingCollision: {
        description: "Another ReplicaSet has the name: increments collisionCount, which gives a new hash.",
        entry: ["reportCollision"]
      },
      creatingNew: {
        description: "Creates the ReplicaSet of this revision, as large as maxSurge allows.",
        entry: ["createNew", "reportStatus"]
      },
      scalingUp: {
        description: "Scales the new ReplicaSet up as far as maxSurge allows.",
        entry: ["resizeNew", "reportStatus"]
      },
      scalingDown: {
        description:
          "Scales old ReplicaSets down: unavailable Pods first, then as many as maxUnavailable allows.",
        entry: ["scaleDownOld", "reportStatus"]
      },
      awaitingPods: {
        description: "No ReplicaSet can be scaled until Pods become available or are deleted.",
        entry: ["reportStatus"]
      },
      done: { type: "final", description: "All Pods are of this revision." }
    }
  }
})
