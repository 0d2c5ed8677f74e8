import { describe, expect, it } from "vitest"
import { builtInStrategies, deploymentMachine } from "../../machines/deployment.ts"
import { mermaidOf } from "../../src/inspect/charts/mermaid.ts"
import { blueGreen } from "./blueGreen.ts"
import { makeClock, play } from "./player.ts"
import { makeStage } from "./stage.ts"
import { aDeployment, aTemplate, beginMillis } from "./worlds.ts"

/** The README's example of a strategy. */
const machine = deploymentMachine([...builtInStrategies, blueGreen])

const makeRollout = () => {
  const clock = makeClock(beginMillis)
  const stage = makeStage(aDeployment({ type: "BlueGreen", replicas: 3 }))
  const actor = play(machine, clock)
  const sizes = (): ReadonlyArray<number> => stage.replicaSets().map(({ spec }) => spec.replicas)
  /** Looks until nothing changes any more, all Pods being there; returns every size on the way. */
  const settle = (available: boolean): ReadonlyArray<ReadonlyArray<number>> => {
    const seen = [sizes()]
    for (let turn = 0; turn < 12; turn += 1) {
      const commands = actor.take({ type: "observed", seen: stage.observe(clock.nowMillis()) })
      stage.perform(commands, clock.nowMillis())
      for (const { metadata, spec, status } of stage.replicaSets()) {
        const availableReplicas = Math.min(
          spec.replicas,
          available ? spec.replicas : (status.availableReplicas ?? 0)
        )
        stage.count(metadata.name, { replicas: spec.replicas, availableReplicas })
      }
      if (String(sizes()) !== String(seen.at(-1))) seen.push(sizes())
    }
    return seen
  }
  return { stage, actor, settle }
}

describe("a strategy of one's own", () => {
  it("rolls out as its chart says: both revisions whole, then the old one gone in one step", () => {
    const { stage, actor, settle } = makeRollout()
    settle(true)
    stage.change({}, { template: aTemplate("v2") })
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

  it("is drawn with the chart that it is part of", () => {
    expect(mermaidOf(machine)).toContain('state "blueGreen" as blueGreen {')
    expect(mermaidOf(machine)).toContain("routing --> blueGreen :")
  })
})
