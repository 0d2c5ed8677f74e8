import { resolve } from "node:path"
import { createMachine } from "xstate"
import { describe, expect, it } from "vitest"
import { chartsOf } from "../../src/inspect/charts/charts.ts"
import { charthouse } from "../cli/charthouse.ts"
import { elementsIn, readXml } from "./readXml.ts"

const names = "deployment, rollingUpdate, recreate, replicaSet, pod, container, node"

const blueGreenFile = resolve(import.meta.dirname, "../machines/blueGreen.ts")
const agesFile = resolve(import.meta.dirname, "../../src/kubernetes/meta/text/shortAge.ts")

describe("charthouse chart", () => {
  it("without a name says which charts there are, a line each", async () => {
    const { code, stdout, stderr } = await charthouse(["chart"])
    const lines = stdout.trimEnd().split("\n")
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(lines.map((line) => line.split(" ")[0]).join(", ")).toBe(`NAME, ${names}`)
    expect(lines.filter((line) => !/^\w+ {3,}\S.{15,}$/.test(line))).toEqual(["NAME            ABOUT"])
  })

  it("without a name and with -o json prints every chart in one object", async () => {
    const { code, stdout } = await charthouse(["chart", "-o", "json"])
    const all: unknown = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(Object.keys(all ?? {}).join(", ")).toBe(names)
    for (const config of Object.values(all ?? {})) expect(() => createMachine(config)).not.toThrow()
  })

  it.each([
    { args: ["pod"], begins: "stateDiagram-v2\n", why: "text is what a terminal can show" },
    { args: ["Recreate", "-o", "mermaid"], begins: "stateDiagram-v2\n", why: "as spec.strategy.type has it" },
    { args: ["node", "-o", "json"], begins: '{\n  "id": "node"', why: "ready for Stately Studio" },
    { args: ["replicaset", "-o", "scxml"], begins: "<?xml ", why: "nobody remembers capitals" },
    { args: ["deployment", "-o", "svg"], begins: "<svg ", why: "a file that a browser opens" }
  ])("prints $args: $why", async ({ args, begins }) => {
    const { code, stdout, stderr } = await charthouse(["chart", ...args])
    expect({ code, stderr, begins: stdout.slice(0, begins.length) }).toEqual({ code: 0, stderr: "", begins })
  })

  it.each([
    { name: "rs", is: "replicaSet" },
    { name: "deployments", is: "deployment" }
  ])("knows $name by what kubectl calls it", async ({ name, is }) => {
    const { stdout } = await charthouse(["chart", name, "-o", "json"])
    expect(JSON.parse(stdout)).toMatchObject({ id: is })
  })

  it("has the strategies that a module exports as well, and draws them into the Deployment's chart", async () => {
    const own = ["--strategies", blueGreenFile]
    const [table, alone, whole] = await Promise.all([
      charthouse(["chart", ...own]),
      charthouse(["chart", "bluegreen", "-o", "mermaid", ...own]),
      charthouse(["chart", "deployment", "-o", "svg", ...own])
    ])
    expect(table.stdout).toMatch(/^blueGreen +The strategy BlueGreen$/m)
    expect(alone.stdout).toContain("deciding --> switching : (4) [maySwitch]")
    expect(whole.stdout).toContain('data-state="deployment.rollout.blueGreen.switching"')
  })

  it("draws the states of the chart that was asked for", async () => {
    const { stdout } = await charthouse(["chart", "rollingUpdate", "-o", "svg"])
    const drawn = elementsIn(readXml(stdout)).flatMap(({ attributes }) => attributes.get("data-state") ?? [])
    expect(drawn).toContain("deployment.rollout.rollingUpdate.scalingDown")
    expect(drawn).not.toContain("deployment.rollout.recreate")
  })

  it.each([
    {
      args: ["gadget"],
      says: `error: no chart is called "gadget"; there are ${names}\n`,
      why: "the names that there are help on"
    },
    {
      args: ["-o", "svg"],
      says: `error: which chart? There are ${names}, and only -o json takes all of them\n`,
      why: "seven drawings in a row are no drawing"
    },
    {
      args: ["--strategies", agesFile],
      says: `error: ${agesFile}: it exports no strategy, such as defineStrategy makes\n`,
      why: "a module may export anything"
    }
  ])("refuses $args: $why", async ({ args, says }) => {
    expect(await charthouse(["chart", ...args])).toEqual({ code: 2, stdout: "", stderr: says })
  })
})

describe("chartsOf", () => {
  it("has the charts that the command line names", () => {
    expect(
      chartsOf()
        .map(({ name }) => name)
        .join(", ")
    ).toBe(names)
  })
})
