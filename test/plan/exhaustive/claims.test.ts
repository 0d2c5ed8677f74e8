import { describe, expect, it } from "vitest"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { specReplicasOf, reportedAvailableOf } from "../../../src/plan/exhaustive/modelPodCounts.ts"
import { objectsIdOf, makeModelMoves } from "../../../src/plan/exhaustive/modelMoves.ts"
import { makeModelObjectsTable } from "../../../src/plan/exhaustive/modelObjects.ts"
import { makePureChart } from "../../../src/plan/exhaustive/pureChart.ts"
import { initialModelState } from "../../../src/plan/exhaustive/initialModelState.ts"
import { exploreRollout } from "../../../src/plan/exhaustive/exploreRollout.ts"
import { searchStates } from "../../../src/plan/exhaustive/searchStates.ts"
import { rolloutBounds } from "../../../machines/strategies/strategies.ts"
import { claimAbout, storedDeployment } from "./exploredRollouts.ts"
import type { PackedCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"

/** Checks each claim's sentence against every explored state and step, without using any rule. */

type Traits = Parameters<typeof storedDeployment>[0]

const reportedAvailable = (...broods: ReadonlyArray<PackedCounts>): number =>
  broods.reduce((sum, it) => sum + Math.min(specReplicasOf(it), reportedAvailableOf(it)), 0)

const checkSums = (before: Traits, after: Traits) => {
  const [from, next] = [storedDeployment(before), storedDeployment({ version: "v2", ...after })]
  const objectsTable = makeModelObjectsTable("decisive")
  const moves = makeModelMoves({
    objectsTable: objectsTable,
    deployment: makePureChart(deploymentMachine(builtInStrategies)),
    replicaSet: makePureChart(replicaSetMachine),
    tracksStopping: false,
    failuresMax: 2
  })
  const initialState = initialModelState({ from, next, objectsTable: objectsTable, moves })
  const { table } = searchStates({
    initialState,
    moves,
    objectsTable: objectsTable,
    invariants: [],
    statesMax: 1_000_000
  })
  const { podsMax = 0, availableMin = 0 } = rolloutBounds(next)
  const aboveCeiling = new Set<number>()
  let stepsBelow = 0
  for (let state = 0; state < table.count(); state += 1) {
    const [first, second, third] = [
      table.olderCounts(state),
      table.newerCounts(state),
      table.objectsAndFailures(state)
    ]
    const specReplicas = specReplicasOf(first) + specReplicasOf(second)
    if (specReplicas > podsMax) aboveCeiling.add(specReplicas)
    const before = reportedAvailable(first, second)
    moves.visitSteps(first, second, third, {
      reach: (nextFirst, nextSecond, nextThird, step) => {
        if (step.actorText(objectsTable.at(objectsIdOf(nextThird))) !== "Deployment") return
        const availableAfter = reportedAvailable(nextFirst, nextSecond)
        if (availableAfter < before && availableAfter < availableMin) stepsBelow += 1
      },
      violate: () => {}
    })
  }
  const found = exploreRollout({ from, next, failuresMax: 2 })
  const claims = [claimAbout(found, "ceiling"), claimAbout(found, "floor")]
  return {
    aboveCeiling: [...aboveCeiling],
    stepsBelow,
    sentences: claims.map(({ says, verdict }) => `${verdict} ${says}`)
  }
}

describe("the claims on ceiling and floor hold as worded", () => {
  const ceiling = (sums: string) => `proved never more than ${sums}`
  const floor = (sums: string) =>
    `proved no step of the Deployment's controller takes reported availability below ${sums}`
  it.each([
    {
      why: "an unreported crash is no step of the controller",
      before: { replicas: 3, surge: 1, unavailable: 1 },
      after: { replicas: 3, surge: 1, unavailable: 1 },
      aboveCeiling: [],
      sentences: [ceiling("4 Pods asked for (replicas 3 + surge 1)"), floor("2 (replicas 3 - unavailable 1)")]
    },
    {
      why: "more Pods from before until the first scale-down",
      before: { replicas: 5 },
      after: { replicas: 2, surge: 1, unavailable: 0 },
      aboveCeiling: [5],
      sentences: [
        ceiling("3 Pods asked for (replicas 2 + surge 1) once scaled down from 5"),
        floor("2 (replicas 2 - unavailable 0)")
      ]
    },
    {
      why: "a smaller size within the surge",
      before: { replicas: 3 },
      after: { replicas: 2, surge: 1, unavailable: 1 },
      aboveCeiling: [],
      sentences: [ceiling("3 Pods asked for (replicas 2 + surge 1)"), floor("1 (replicas 2 - unavailable 1)")]
    },
    {
      why: "a larger size",
      before: { replicas: 2 },
      after: { replicas: 3, surge: 1, unavailable: 1, minReadySeconds: 5 },
      aboveCeiling: [],
      sentences: [ceiling("4 Pods asked for (replicas 3 + surge 1)"), floor("2 (replicas 3 - unavailable 1)")]
    },
    {
      why: "a paused Deployment scaled down",
      before: { replicas: 4 },
      after: { replicas: 2, surge: 0, unavailable: 1, paused: true },
      aboveCeiling: [4],
      sentences: [
        ceiling("2 Pods asked for (replicas 2 + surge 0) once scaled down from 4"),
        floor("1 (replicas 2 - unavailable 1)")
      ]
    }
  ])("$why", ({ before, after, aboveCeiling, sentences }) => {
    expect(checkSums(before, after)).toEqual({ aboveCeiling, stepsBelow: 0, sentences })
  })
})
