import { describe, expect, it } from "vitest"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { blueGreen } from "../../machines/strategies/blueGreen.ts"
import { builtInSteering } from "../../../machines/steering/steeringStrategies.ts"
import { firstCrash } from "../../steering/firstCrash.ts"
import { drawStrategyCharts } from "../../../src/inspect/charts/drawStrategyCharts.ts"
import { elementsIn, readXml } from "./readXml.ts"

const statesOf = (svg: string): ReadonlyArray<string> =>
  elementsIn(readXml(svg)).flatMap(({ attributes }) => attributes.get("data-state") ?? [])

describe("the charts of a cluster's own strategies", () => {
  it("are the Deployment's chart with the strategies in it, and each strategy's own chart", async () => {
    const drawn = await drawStrategyCharts({
      strategies: [blueGreen, ...builtInStrategies],
      steering: builtInSteering
    })
    expect(Object.keys(drawn)).toEqual(["deployment", "blueGreen"])
    const { deployment = "", blueGreen: alone = "" } = drawn
    expect(statesOf(deployment)).toContain("deployment.rollout.blueGreen.switching")
    expect(statesOf(deployment)).toContain("deployment.rollout.rollingUpdate.scalingUp")
    expect(statesOf(alone)).toContain("deployment.rollout.blueGreen.switching")
    expect(statesOf(alone)).not.toContain("deployment.rollout")
  })

  it("are the chart of steering with its own steering charts in it, and each of them", async () => {
    const drawn = await drawStrategyCharts({
      strategies: builtInStrategies,
      steering: [...builtInSteering, firstCrash]
    })
    expect(Object.keys(drawn)).toEqual(["steering", "firstCrash"])
    const { steering = "", firstCrash: alone = "" } = drawn
    expect(statesOf(steering)).toContain("steering.firstCrash.watching")
    expect(statesOf(steering)).toContain("steering.canary.approving")
    expect(statesOf(alone)).toContain("steering.firstCrash.watching")
    expect(statesOf(alone)).not.toContain("steering.canary")
  })

  it("are none for the built-in strategies, which the build has drawn", async () => {
    const builtIn = { strategies: builtInStrategies, steering: builtInSteering }
    expect(await drawStrategyCharts(builtIn)).toEqual({})
  })
})
