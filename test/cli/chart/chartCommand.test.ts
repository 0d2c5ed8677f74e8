import { createMachine } from "xstate"
import { describe, expect, it } from "vitest"
import { chartsOf } from "../../../src/inspect/charts/charts.ts"
import { charthouse } from "../harness/charthouse.ts"
import { elementsIn, readXml } from "../../inspect/charts/readXml.ts"
import { projectPath } from "../../projectPath.ts"

const names =
  "deployment, rollingUpdate, recreate, steering, replicaSet, statefulSet, daemonSet, job, cronJob, horizontalPodAutoscaler, pod, container, node"

const blueGreenFile = projectPath("test/machines/strategies/blueGreen.ts")
const withoutStrategyFile = projectPath("test/projectPath.ts")

describe("charthouse chart", () => {
  it("lists all charts without a name, one per line", async () => {
    const { code, stdout, stderr } = await charthouse(["chart"])
    const lines = stdout.trimEnd().split("\n")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(lines.map((line) => line.split(" ")[0]).join(", ")).toBe(`NAME, ${names}`)
    expect(lines.filter((line) => !/^\w+ {3,}\S.{15,}$/.test(line))).toEqual([
      "NAME                      ABOUT"
    ])
  })

  it("prints all charts in one object with -o json and no name", async () => {
    const { code, stdout } = await charthouse(["chart", "-o", "json"])
    const all: unknown = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(Object.keys(all ?? {}).join(", ")).toBe(names)
    for (const config of Object.values(all ?? {})) expect(() => createMachine(config)).not.toThrow()
  })

  it.each([
    { args: ["pod"], begins: "stateDiagram-v2\n", why: "text by default" },
    {
      args: ["Recreate", "-o", "mermaid"],
      begins: "stateDiagram-v2\n",
      why: "the spelling of spec.strategy.type"
    },
    { args: ["node", "-o", "json"], begins: '{\n  "id": "node"', why: "for Stately Studio" },
    { args: ["replicaset", "-o", "scxml"], begins: "<?xml ", why: "without capitals" },
    { args: ["deployment", "-o", "svg"], begins: "<svg ", why: "for a browser" }
  ])("prints $args: $why", async ({ args, begins }) => {
    const { code, stdout, stderr } = await charthouse(["chart", ...args])
    expect({ code, stderr, begins: stdout.slice(0, begins.length) }).toEqual({ code: 0, stderr: "", begins })
  })

  it.each([
    { name: "rs", chartName: "replicaSet" },
    { name: "deployments", chartName: "deployment" }
  ])("accepts kubectl's name $name", async ({ name, chartName }) => {
    const { stdout } = await charthouse(["chart", name, "-o", "json"])
    expect(JSON.parse(stdout)).toMatchObject({ id: chartName })
  })

  it("includes the strategies that a module exports, also in the Deployment's chart", async () => {
    const strategiesFlag = ["--strategies", blueGreenFile]
    const [table, alone, whole] = await Promise.all([
      charthouse(["chart", ...strategiesFlag]),
      charthouse(["chart", "bluegreen", "-o", "mermaid", ...strategiesFlag]),
      charthouse(["chart", "deployment", "-o", "svg", ...strategiesFlag])
    ])
    expect(table.stdout).toMatch(/^blueGreen +The strategy BlueGreen$/m)
    expect(alone.stdout).toContain("deciding --> switching : (4) [maySwitch]")
    expect(whole.stdout).toContain('data-state="deployment.rollout.blueGreen.switching"')
  })

  it("includes the steering charts that a module exports, also in the chart of steering", async () => {
    const strategiesFlag = ["--strategies", projectPath("test/steering/firstCrash.ts")]
    const [table, alone, whole] = await Promise.all([
      charthouse(["chart", ...strategiesFlag]),
      charthouse(["chart", "firstcrash", ...strategiesFlag]),
      charthouse(["chart", "steering", "-o", "svg", ...strategiesFlag])
    ])
    expect(table.stdout).toMatch(/^firstCrash +The steering chart firstCrash$/m)
    expect(alone.stdout).toMatch(/deciding --> watching : \(\d+\) else/u)
    expect(whole.stdout).toContain('data-state="steering.firstCrash.watching"')
  })

  it("draws only the states of the named chart", async () => {
    const { stdout } = await charthouse(["chart", "rollingUpdate", "-o", "svg"])
    const drawn = elementsIn(readXml(stdout)).flatMap(({ attributes }) => attributes.get("data-state") ?? [])
    expect(drawn).toContain("deployment.rollout.rollingUpdate.scalingDown")
    expect(drawn).not.toContain("deployment.rollout.recreate")
  })

  it.each([
    {
      args: ["gadget"],
      expectedText: `error: no chart is called "gadget"; there are ${names}\n`,
      why: "the error lists the names"
    },
    {
      args: ["-o", "svg"],
      expectedText: `error: which chart? There are ${names}, and only -o json takes all of them\n`,
      why: "only JSON holds several charts"
    },
    {
      args: ["--strategies", withoutStrategyFile],
      expectedText: `error: ${withoutStrategyFile}: it exports no strategy, such as defineStrategy or defineSteering makes\n`,
      why: "the module exports no strategy"
    }
  ])("refuses $args: $why", async ({ args, expectedText }) => {
    expect(await charthouse(["chart", ...args])).toEqual({ code: 2, stdout: "", stderr: expectedText })
  })
})

describe("chartsOf", () => {
  it("lists the charts that charthouse chart names", () => {
    expect(
      chartsOf()
        .map(({ name }) => name)
        .join(", ")
    ).toBe(names)
  })
})
