import { describe, expect, it } from "vitest"
import { builtInStrategies, deploymentMachine } from "../../../machines/deployment.ts"
import { replicaSetMachine } from "../../../machines/replicaSet.ts"
import { specReplicasOf, reportedAvailableOf } from "../../../src/plan/exhaustive/modelPodCounts.ts"
import { objectsIdOf, makeModelMoves } from "../../../src/plan/exhaustive/modelMoves.ts"
import { makeModelObjectsTable } from "../../../src/plan/exhaustive/modelObjects.ts"
import { makePureChart } from "../../../src/plan/exhaustive/pureChart.ts"
import { initialModelState } from "../../../src/plan/exhaustive/initialModelState.ts"
import { exploreRollout } from "../../../src/plan/exhaustive/exploreRollout.ts"
import { searchStates } from "../../../src/plan/exhaustive/searchStates.ts"
import { rolloutBounds } from "../../../src/kubernetes/apps/rolloutBounds.ts"
import { claimAbout, stored } from "./worlds.ts"
import type { PackedCounts } from "../../../src/plan/exhaustive/modelPodCounts.ts"

/** What is proved is a sentence: these sums are made from its words, over every state and step, and from no rule. */

type Traits = Parameters<typeof stored>[0]

const reported = (...broods: ReadonlyArray<PackedCounts>): number =>
  broods.reduce((sum, it) => sum + Math.min(specReplicasOf(it), reportedAvailableOf(it)), 0)

const summed = (before: Traits, after: Traits) => {
  const [from, next] = [stored(before), stored({ version: "v2", ...after })]
  const chapters = makeModelObjectsTable("decisive")
  const moves = makeModelMoves({
    objectsTable: chapters,
    deployment: makePureChart(deploymentMachine(builtInStrategies)),
    replicaSet: makePureChart(replicaSetMachine),
    tracksStopping: false,
    failuresMax: 2
  })
  const begin = initialModelState({ from, next, objectsTable: chapters, moves })
  const { table } = searchStates({
    begin,
    moves,
    objectsTable: chapters,
    invariants: [],
    statesMax: 1_000_000
  })
  const { podsMax = 0, availableMin = 0 } = rolloutBounds(next)
  const beyond = new Set<number>()
  let stepsBelow = 0
  for (let state = 0; state < table.count(); state += 1) {
    const [first, second, tale] = [table.first(state), table.second(state), table.third(state)]
    const asked = specReplicasOf(first) + specReplicasOf(second)
    if (asked > podsMax) beyond.add(asked)
    const before = reported(first, second)
    moves.from(first, second, tale, {
      reach: (nextFirst, nextSecond, nextTale, step) => {
        if (step.who(chapters.at(objectsIdOf(nextTale))) !== "Deployment") return
        const left = reported(nextFirst, nextSecond)
        if (left < before && left < availableMin) stepsBelow += 1
      },
      broken: () => {}
    })
  }
  const found = exploreRollout({ from, next, failures: 2 })
  const claims = [claimAbout(found, "ceiling"), claimAbout(found, "floor")]
  return { beyond: [...beyond], stepsBelow, told: claims.map(({ says, verdict }) => `${verdict} ${says}`) }
}

describe("what is proved of the amounts is so as it is worded", () => {
  const ceiling = (sums: string) => `proved never more than ${sums}`
  const floor = (sums: string) =>
    `proved no step of the Deployment's controller takes reported availability below ${sums}`
  it.each([
    {
      why: "a Pod that has crashed and is not reported yet is no step of the controller",
      before: { replicas: 3, surge: 1, unavailable: 1 },
      after: { replicas: 3, surge: 1, unavailable: 1 },
      beyond: [],
      told: [ceiling("4 Pods asked for (replicas 3 + surge 1)"), floor("2 (replicas 3 - unavailable 1)")]
    },
    {
      why: "more are asked for from before, until the first step",
      before: { replicas: 5 },
      after: { replicas: 2, surge: 1, unavailable: 0 },
      beyond: [5],
      told: [
        ceiling("3 Pods asked for (replicas 2 + surge 1) once scaled down from 5"),
        floor("2 (replicas 2 - unavailable 0)")
      ]
    },
    {
      why: "a size within the surge is nothing that has to go first",
      before: { replicas: 3 },
      after: { replicas: 2, surge: 1, unavailable: 1 },
      beyond: [],
      told: [ceiling("3 Pods asked for (replicas 2 + surge 1)"), floor("1 (replicas 2 - unavailable 1)")]
    },
    {
      why: "growing on the way",
      before: { replicas: 2 },
      after: { replicas: 3, surge: 1, unavailable: 1, minReadySeconds: 5 },
      beyond: [],
      told: [ceiling("4 Pods asked for (replicas 3 + surge 1)"), floor("2 (replicas 3 - unavailable 1)")]
    },
    {
      why: "a pause goes no further than the new size",
      before: { replicas: 4 },
      after: { replicas: 2, surge: 0, unavailable: 1, paused: true },
      beyond: [4],
      told: [
        ceiling("2 Pods asked for (replicas 2 + surge 0) once scaled down from 4"),
        floor("1 (replicas 2 - unavailable 1)")
      ]
    }
  ])("$why", ({ before, after, beyond, told }) => {
    expect(summed(before, after)).toEqual({ beyond, stepsBelow: 0, told })
  })
})
