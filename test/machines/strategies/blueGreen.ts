import {
  createNew,
  defineStrategy,
  explainGuard,
  planStart,
  planStop,
  reportCollision,
  startNew,
  stopOld,
  wasComplete
} from "../../../src/strategies.ts"
import type { DeploymentObservation } from "../../../src/strategies.ts"

const availableNew = ({ newReplicaSet }: DeploymentObservation): number =>
  newReplicaSet?.status.availableReplicas ?? 0

/** The new revision comes up whole beside the old one, which goes at once when every new Pod is available. */
export const blueGreen = defineStrategy({
  type: "BlueGreen",
  state: "blueGreen",
  isCreating: ({ newReplicaSet }) => newReplicaSet === undefined,
  ignoresTerminating: true,
  sentences: (seen) =>
    planStop(seen).length === 0
      ? []
      : [`BlueGreen removes no old Pod before every new one is available: ${availableNew(seen)} are.`],
  guards: {
    isNameTaken: ({ collidingName }) => collidingName !== undefined,
    isNewMissing: ({ newReplicaSet }) => newReplicaSet === undefined,
    isNextSmall: explainGuard(
      (seen: DeploymentObservation) => planStart(seen).length > 0,
      "fewer new Pods than wanted",
      ({ newReplicaSet, deployment }) =>
        `new ${newReplicaSet?.spec.replicas ?? 0}, desired ${deployment.spec.replicas}`
    ),
    maySwitch: (seen) => availableNew(seen) === seen.deployment.spec.replicas && planStop(seen).length > 0,
    isDone: wasComplete
  },
  commands: { createNew, reportCollision, startNew, stopOld },
  chart: {
    initial: "deciding",
    states: {
      deciding: {
        always: [
          { guard: "isNameTaken", target: "avoidingCollision" },
          { guard: "isNewMissing", target: "creatingNew" },
          { guard: "isNextSmall", target: "startingNew" },
          { guard: "maySwitch", target: "switching" },
          { guard: "isDone", target: "done" },
          { target: "awaitingPods" }
        ]
      },
      avoidingCollision: { entry: ["reportCollision"] },
      creatingNew: { entry: ["createNew", "reportStatus"] },
      startingNew: { entry: ["startNew", "reportStatus"] },
      switching: { entry: ["stopOld", "reportStatus"] },
      awaitingPods: { entry: ["reportStatus"] },
      done: { type: "final" }
    }
  }
})
