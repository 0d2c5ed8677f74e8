import {
  createNext,
  reportCollision,
  resizeNext,
  shrinkPrevious
} from "../../src/kubernetes/apps/deploymentCommands.ts"
import { specReplicas } from "../../src/kubernetes/apps/replicaCounts.ts"
import {
  fencepostBounds,
  nextReplicaSetSize,
  planNext,
  planPrevious,
  scaleDownBudget,
  surgeRoom
} from "../../src/kubernetes/apps/rollingUpdate.ts"
import { explainGuard } from "../guards/guard.ts"
import { floorText, nameTaken, nextMissing, reportedComplete, resizesText } from "./sharedGuards.ts"
import { defineStrategy } from "./strategy.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import type { IntOrPercent } from "../../src/kubernetes/meta/amounts/intOrPercent.ts"
import type { StrategySentences } from "./strategy.ts"

const scaleUpText = (seen: DeploymentObservation): string => {
  const desired = seen.deployment.spec.replicas
  const desiredTotal = specReplicas(seen.replicaSets)
  const newReplicas = seen.next?.spec.replicas ?? 0
  const resizes = planNext(seen)
  if (newReplicas >= desired)
    return `desired ${desired}, new ${newReplicas}: ${resizesText(resizes, "all of them are asked for")}`
  return (
    `desired ${desired} + surge ${seen.surgeMax} - asked for ${desiredTotal} = room for ${Math.max(0, surgeRoom(seen))}: ` +
    resizesText(resizes, `new stays at ${newReplicas}`)
  )
}

const scaleDownText = (seen: DeploymentObservation): string => {
  const old = specReplicas(seen.previous)
  if (old === 0) return "no old Pods are asked for"
  const { floor, nextAvailable, available, removable, spare } = scaleDownBudget(seen)
  const floorSum = `${floorText(seen)}${seen.unavailableMax === 0 ? "" : ` = ${floor}`}`
  const resizes = planPrevious(seen)
  const sum = `${floorSum}; old ${old} + new available ${nextAvailable} - floor ${floor} = ${removable} may go`
  if (removable <= 0) return `${sum}: none`
  return `${sum}; available ${available} - floor ${floor} = ${spare} available ones may go: ${resizesText(resizes, "none")}`
}

const waitSentences: StrategySentences = (observation) => {
  const all = [...createSentences(observation), ...removeSentences(observation)]
  return all.length === 0 ? [] : [...all, ...bothZeroSentences(observation)]
}

const createSentences = (observation: DeploymentObservation): ReadonlyArray<string> => {
  const { deployment, next, surgeMax, replicaSets } = observation
  const desired = deployment.spec.replicas
  if (
    next === undefined ||
    next.spec.replicas >= desired ||
    nextReplicaSetSize(observation) > next.spec.replicas
  )
    return []
  const surge = deployment.spec.strategy.rollingUpdate?.maxSurge
  return [
    `It may not create more new Pods: desired ${desired} + surge ${surgeMax}${percentText(surge)} = ` +
      `${desired + surgeMax}, and ${specReplicas(replicaSets)} are asked for.`
  ]
}

const removeSentences = (observation: DeploymentObservation): ReadonlyArray<string> => {
  const { deployment, previous, unavailableMax } = observation
  if (specReplicas(previous) === 0 || planPrevious(observation).length > 0) return []
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
  isCreating: nextMissing,
  bounds: fencepostBounds,
  // Only ReplicaSets and their statuses count here.
  ignoresTerminating: true,
  sentences: waitSentences,
  guards: {
    isNameTaken: nameTaken,
    isNextMissing: nextMissing,
    mayResizeNew: explainGuard(
      (observation) => planNext(observation).length > 0,
      "room for more new Pods",
      scaleUpText
    ),
    mayScaleDownOld: explainGuard(
      (observation) => planPrevious(observation).length > 0,
      "old Pods can be spared",
      scaleDownText
    ),
    isDone: reportedComplete
  },
  commands: { createNext, reportCollision, resizeNext, shrinkPrevious },
  chart: {
    description: "Replaces old Pods by new ones, a few at a time, one step per look.",
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
        description: "Another ReplicaSet has the name: increments collisionCount, which gives a new hash.",
        entry: ["reportCollision"]
      },
      creatingNew: {
        description: "Creates the ReplicaSet of this revision, as large as maxSurge allows.",
        entry: ["createNext", "reportStatus"]
      },
      scalingUp: {
        description: "Scales the new ReplicaSet up as far as maxSurge allows.",
        entry: ["resizeNext", "reportStatus"]
      },
      scalingDown: {
        description:
          "Scales old ReplicaSets down: unavailable Pods first, then as many as maxUnavailable allows.",
        entry: ["shrinkPrevious", "reportStatus"]
      },
      awaitingPods: {
        description: "No ReplicaSet can be scaled until Pods become available or are deleted.",
        entry: ["reportStatus"]
      },
      done: { type: "final", description: "All Pods are of this revision." }
    }
  }
})
