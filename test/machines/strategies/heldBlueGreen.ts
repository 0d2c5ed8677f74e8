import {
  annotateDeployment,
  annotationOf,
  createAtFullSize,
  defineStrategy,
  explainGuard,
  newReplicaSetNameTaken,
  newReplicaSetMissing,
  planStart,
  planStop,
  reportCollision,
  isReportedComplete,
  revisionAnnotation,
  startNew,
  stopOld
} from "../../../src/strategies.ts"
import type { DeploymentObservation, StrategyDelay } from "../../../src/strategies.ts"

const holdMillis = 5 * 60_000

/** Since when which revision is held: `2 2026-01-01T00:00:07.250Z`. */
const heldSince = "example.com/held-since"

const revisionOfNew = ({ newReplicaSet }: DeploymentObservation): string =>
  (newReplicaSet === undefined ? undefined : annotationOf(newReplicaSet, revisionAnnotation)) ?? ""

/** Milliseconds that are left of the hold, negative when it is over; undefined while the new revision is not held. */
const untilHeld: StrategyDelay = (seen) => {
  const [revision, since = ""] = (annotationOf(seen.deployment, heldSince) ?? "").split(" ")
  return revision === revisionOfNew(seen) ? Date.parse(since) + holdMillis - seen.nowMillis : undefined
}

const isWhole = ({ newReplicaSet, deployment: { spec } }: DeploymentObservation): boolean =>
  (newReplicaSet?.status.availableReplicas ?? 0) === spec.replicas

/** The new revision comes up whole beside the old one, which goes after five minutes with every new Pod available. */
export const heldBlueGreen = defineStrategy({
  type: "HeldBlueGreen",
  state: "heldBlueGreen",
  isCreating: newReplicaSetMissing,
  create: createAtFullSize,
  ignoresTerminating: true,
  bounds: ({ spec: { replicas } }) => ({ podsMax: 2 * replicas, availableMin: replicas }),
  delays: { untilHeld },
  guards: {
    newReplicaSetNameTaken,
    newReplicaSetMissing,
    isResized: (seen) => planStart(seen).length > 0,
    isHeld: explainGuard(
      (seen: DeploymentObservation) => (untilHeld(seen) ?? 0) > 0,
      "the hold is not over",
      (seen) => `${untilHeld(seen) ?? "no"} ms are left`
    ),
    mayHold: (seen) => isWhole(seen) && planStop(seen).length > 0 && untilHeld(seen) === undefined,
    maySwitch: (seen) => isWhole(seen) && planStop(seen).length > 0,
    isReportedComplete
  },
  commands: {
    createAtFullSize,
    reportCollision,
    startNew,
    stopOld,
    recordHold: (seen) =>
      annotateDeployment({ [heldSince]: `${revisionOfNew(seen)} ${new Date(seen.nowMillis).toISOString()}` })
  },
  chart: {
    initial: "deciding",
    states: {
      deciding: {
        always: [
          { guard: "newReplicaSetNameTaken", target: "avoidingCollision" },
          { guard: "newReplicaSetMissing", target: "creatingNew" },
          { guard: "isResized", target: "resizingNew" },
          { guard: "isHeld", target: "holding" },
          { guard: "mayHold", target: "beginningHold" },
          { guard: "maySwitch", target: "switching" },
          { guard: "isReportedComplete", target: "done" },
          { target: "awaitingPods" }
        ]
      },
      avoidingCollision: { entry: ["reportCollision"] },
      creatingNew: { entry: ["createAtFullSize", "reportStatus"] },
      resizingNew: { entry: ["startNew", "reportStatus"] },
      beginningHold: { entry: ["recordHold", "reportStatus"] },
      holding: { entry: ["reportStatus"], lookAgain: { after: "untilHeld" } },
      switching: { entry: ["stopOld", "reportStatus"] },
      awaitingPods: { entry: ["reportStatus"] },
      done: { type: "final" }
    }
  }
})
