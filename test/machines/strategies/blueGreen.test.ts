import { describe, expect, it } from "vitest"
import { deploymentMachine } from "../../../machines/deployment.ts"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { mermaidOf } from "../../../src/inspect/charts/mermaid.ts"
import { blueGreen } from "./blueGreen.ts"
import { makeClock, startChart } from "../chartActor.ts"
import { makeWorkload } from "../workload.ts"
import { aDeployment, aTemplate, beginMillis } from "../workloadObservations.ts"

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
        workload.count(metadata.name, { replicas: spec.replicas, availableReplicas })
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
    workload.change({}, { template: aTemplate("v2") })
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
