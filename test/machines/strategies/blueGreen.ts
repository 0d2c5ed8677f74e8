import {
  createNext,
  defineStrategy,
  explainGuard,
  planStart,
  planStop,
  reportCollision,
  startNext,
  stopPrevious,
  wasComplete
} from "../../../src/strategies.ts"
import type { DeploymentObservation } from "../../../src/strategies.ts"

const availableNew = ({ next }: DeploymentObservation): number => next?.status.availableReplicas ?? 0

/** The new revision comes up whole beside the old one, which goes at once when every new Pod is available. */
export const blueGreen = defineStrategy({
  type: "BlueGreen",
  state: "blueGreen",
  isCreating: ({ next }) => next === undefined,
  ignoresTerminating: true,
  sentences: (seen) =>
    planStop(seen).length === 0
      ? []
      : [`BlueGreen removes no old Pod before every new one is available: ${availableNew(seen)} are.`],
  guards: {
    isNameTaken: ({ nameTakenBy }) => nameTakenBy !== undefined,
    isNextMissing: ({ next }) => next === undefined,
    isNextSmall: explainGuard(
      (seen: DeploymentObservation) => planStart(seen).length > 0,
      "fewer new Pods than wanted",
      ({ next, deployment }) => `new ${next?.spec.replicas ?? 0}, desired ${deployment.spec.replicas}`
    ),
    maySwitch: (seen) => availableNew(seen) === seen.deployment.spec.replicas && planStop(seen).length > 0,
    isDone: wasComplete
  },
  commands: { createNext, reportCollision, startNext, stopPrevious },
  chart: {
    initial: "deciding",
    states: {
      deciding: {
        always: [
          { guard: "isNameTaken", target: "avoidingCollision" },
          { guard: "isNextMissing", target: "creatingNew" },
          { guard: "isNextSmall", target: "startingNew" },
          { guard: "maySwitch", target: "switching" },
          { guard: "isDone", target: "done" },
          { target: "awaitingPods" }
        ]
      },
      avoidingCollision: { entry: ["reportCollision"] },
      creatingNew: { entry: ["createNext", "reportStatus"] },
      startingNew: { entry: ["startNext", "reportStatus"] },
      switching: { entry: ["stopPrevious", "reportStatus"] },
      awaitingPods: { entry: ["reportStatus"] },
      done: { type: "final" }
    }
  }
})
