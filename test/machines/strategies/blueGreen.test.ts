import { describe, expect, it } from "vitest"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { mermaidOf } from "../../../src/inspect/charts/mermaid.ts"
import { chartTree, statesWithin } from "../../../src/inspect/charts/chartTree.ts"
import { explainRollout } from "../../../src/explain/objects/explainRollout.ts"
import { exploreRollout } from "../../../src/plan/exhaustive/exploreRollout.ts"
import { guardReasonText } from "../../../src/explain/steps/guardReasonText.ts"
import { recreate } from "../../../machines/strategies/recreate.ts"
import { adviceTexts, planNext, slowPods } from "../../plan/planManifests.ts"
import { storedDeployment } from "../../plan/exhaustive/exploredRollouts.ts"
import { blueGreen } from "./blueGreen.ts"
import { makeClock, startChart } from "../chartActor.ts"
import { makeWorkload } from "../workload.ts"
import { aDeployment, aTemplate, beginMillis } from "../workloadObservations.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"

const machine = deploymentMachine([...builtInStrategies, blueGreen])

const makeRollout = () => {
  const clock = makeClock(beginMillis)
  const workload = makeWorkload(aDeployment({ type: "BlueGreen", replicas: 3 }))
  const actor = startChart(machine, clock)
  const sizes = (): ReadonlyArray<number> => workload.replicaSets().map(({ spec }) => spec.replicas)
  /** Looks until nothing changes, with all Pods created; returns the replicas after each change. */
  const settle = (available: boolean): ReadonlyArray<ReadonlyArray<number>> => {
    const seen = [sizes()]
    for (let turn = 0; turn < 12; turn += 1) {
      const commands = actor.take({ type: "observed", seen: workload.observe(clock.nowMillis()) })
      workload.perform(commands, clock.nowMillis())
      for (const { metadata, spec, status } of workload.replicaSets()) {
        const availableReplicas = Math.min(
          spec.replicas,
          available ? spec.replicas : (status.availableReplicas ?? 0)
        )
        workload.setCounts(metadata.name, { replicas: spec.replicas, availableReplicas })
      }
      if (String(sizes()) !== String(seen.at(-1))) seen.push(sizes())
    }
    return seen
  }
  return { workload, actor, settle }
}

describe("a custom strategy", () => {
  it("rolls out by its chart: both revisions at full size, then the old one goes at once", () => {
    const { workload, actor, settle } = makeRollout()
    settle(true)
    workload.changeDeployment({}, { template: aTemplate("v2") })
    expect(settle(false)).toEqual([[3], [3, 0], [3, 3]])
    expect(settle(true)).toEqual([
      [3, 3],
      [0, 3]
    ])
    expect(actor.value()).toEqual({
      rollout: "complete",
      progress: "complete",
      check: "ahead",
      availability: "available"
    })
  })

  it("is drawn as part of the chart", () => {
    expect(mermaidOf(machine)).toContain('state "blueGreen" as blueGreen {')
    expect(mermaidOf(machine)).toContain("routing --> blueGreen :")
  })
})

describe("the optional parts of a custom strategy", () => {
  const midway = () => {
    const rollout = makeRollout()
    rollout.settle(true)
    rollout.workload.changeDeployment({}, { template: aTemplate("v2") })
    rollout.settle(false)
    return rollout.workload
  }
  const exploredAs = (strategy: Strategy) => {
    const deployment = (version: string) => {
      const { spec, ...rest } = storedDeployment({ version })
      return { ...rest, spec: { ...spec, strategy: { type: strategy.type } } }
    }
    const [from, next] = [deployment("v1"), deployment("v2")]
    const { claims } = exploreRollout({ from, next, failuresMax: 1, strategies: [strategy] })
    return claims.map(({ about, verdict }) => `${about} ${verdict}`)
  }

  it("appear in drawings: words of guards", () => {
    const meanings = statesWithin(chartTree(machine.root)).flatMap(({ handlers }) =>
      handlers.flatMap(({ branches }) => branches.flatMap(({ guardDescription }) => guardDescription ?? []))
    )
    expect(meanings).toEqual(expect.arrayContaining(["strategy BlueGreen", "fewer new Pods than wanted"]))
  })

  it("appear in `why`: reasons of guards", () => {
    const seen = midway().observe(beginMillis)
    const moment = { context: {}, event: { type: "observed", seen } }
    const reasons = ["blueGreen", "blueGreen.maySwitch", "blueGreen.isNextSmall"].map((guard) =>
      guardReasonText(guard, machine.implementations.guards, moment)
    )
    expect(reasons).toEqual(["strategy.type is BlueGreen", "may switch", "new 3, desired 3"])
  })

  it("appear in `explain`: sentences", () => {
    const workload = midway()
    const { deployment } = workload.observe(beginMillis)
    const rollout = {
      deployment,
      replicaSets: workload.replicaSets(),
      pods: [],
      events: [],
      namespace: undefined
    }
    const { sentences } = explainRollout({ ...rollout, nowMillis: beginMillis, strategies: [blueGreen] })
    expect(sentences).toContain("BlueGreen removes no old Pod before every new one is available: 0 are.")
  })

  it("are proved: bounds", () => {
    const bounds: Strategy["bounds"] = ({ spec: { replicas } }) => ({
      podsMax: 2 * replicas,
      availableMin: replicas
    })
    expect(exploredAs({ ...blueGreen, bounds })).toEqual([
      "ceiling proved",
      "floor proved",
      "rules proved",
      "end proved"
    ])
    const tooFew: Strategy["bounds"] = () => ({ podsMax: 4, availableMin: undefined })
    expect(exploredAs({ ...blueGreen, bounds: tooFew })).toContain("ceiling broken")
  })

  it("are proved and advised on: stopsOldFirst", async () => {
    const swap = { ...recreate, type: "Swap", state: "swap" }
    expect(exploredAs(swap)).toEqual(["recreate proved", "rules proved", "end proved"])
    expect(exploredAs({ ...blueGreen, stopsOldFirst: true })).toContain("recreate broken")
    const planned = await planNext(
      { replicas: 3, spec: { strategy: { type: "Swap" } } },
      { assume: slowPods, planWorld: { strategies: [swap] } }
    )
    expect(adviceTexts(planned)).toContainEqual(expect.stringMatching(/^strategy Swap stops every Pod/))
  })
})
