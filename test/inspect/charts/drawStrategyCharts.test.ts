import { describe, expect, it } from "vitest"
import { builtInStrategies } from "../../../machines/strategies/strategies.ts"
import { blueGreen } from "../../machines/strategies/blueGreen.ts"
import { drawStrategyCharts } from "../../../src/inspect/charts/drawStrategyCharts.ts"
import { elementsIn, readXml } from "./readXml.ts"

const statesOf = (svg: string): ReadonlyArray<string> =>
  elementsIn(readXml(svg)).flatMap(({ attributes }) => attributes.get("data-state") ?? [])

describe("the charts of a cluster's own strategies", () => {
  it("are the Deployment's chart with the strategies in it, and each strategy's own chart", async () => {
    const drawn = await drawStrategyCharts([blueGreen, ...builtInStrategies])
    expect(Object.keys(drawn)).toEqual(["deployment", "blueGreen"])
    const { deployment = "", blueGreen: alone = "" } = drawn
    expect(statesOf(deployment)).toContain("deployment.rollout.blueGreen.switching")
    expect(statesOf(deployment)).toContain("deployment.rollout.rollingUpdate.scalingUp")
    expect(statesOf(alone)).toContain("deployment.rollout.blueGreen.switching")
    expect(statesOf(alone)).not.toContain("deployment.rollout")
  })

  it("are none for the built-in strategies, which the build has drawn", async () => {
    expect(await drawStrategyCharts(builtInStrategies)).toEqual({})
  })
})
