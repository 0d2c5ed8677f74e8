import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { stringify } from "yaml"
import { describe, expect, it } from "vitest"
import { charthouse } from "../harness/charthouse.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { fileOf, invalidStrategies } from "../../steering/invalidStrategies.ts"
import { openCluster } from "../../../src/cluster/openCluster.ts"
import { projectPath } from "../../projectPath.ts"
import { serving } from "../harness/servingCommand.ts"
import { setImage, shopBehaviours, steeredText, webDeployment } from "../../steering/steeredShop.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import type { OpenCluster } from "../../../src/cluster/openCluster.ts"

const firstCrash = projectPath("test/steering/firstCrash.ts")
const withoutChart = projectPath("test/projectPath.ts")
const named = stringify(webDeployment("firstCrash"))

describe("charthouse steer check", () => {
  it.each(invalidStrategies)("exits with 2 and says the line and column: $what", async (row) => {
    const { text, line } = fileOf(row)
    const { code, stdout, stderr } = await charthouse(["steer", "check", "web.yaml"], { "web.yaml": text })
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toMatch(new RegExp(`^error: web\\.yaml:${line}:\\d+: charthouse\\.dev/strategy: `, "u"))
    expect(stderr).toContain(row.message)
    expect(stderr.trimEnd().split("\n")).toHaveLength(1)
  })

  it("names what is wrong in each of several files", async () => {
    const [row] = invalidStrategies
    const files = { "bad.yaml": row === undefined ? "" : fileOf(row).text, "good.yaml": named }
    const { code, stderr } = await charthouse(["steer", "check", "bad.yaml", "good.yaml"], files)
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^error: bad\.yaml:\d+:\d+: .*\nerror: good\.yaml:6:5: .*"firstCrash" is no steering chart/u
    )
  })

  it("warns of an annotation that nothing reads", async () => {
    const files = { "web.yaml": named.replace("/strategy", "/stategy") }
    expect(await charthouse(["steer", "check", "web.yaml"], files)).toEqual({
      code: 0,
      stdout: "no Deployment has the annotation charthouse.dev/strategy\n",
      stderr:
        "warning: web.yaml:6:5: nothing reads the annotation charthouse.dev/stategy; " +
        "did you mean charthouse.dev/strategy?\n"
    })
  })

  it("knows the charts of a module of the user's own", async () => {
    const args = ["steer", "check", "web.yaml", "--strategies", firstCrash]
    expect(await charthouse(args, { "web.yaml": named })).toEqual({
      code: 0,
      stdout: "1 valid strategy: web\n",
      stderr: ""
    })
  })

  it.each([
    { file: withoutChart, message: `${withoutChart}: it exports no strategy` },
    { file: "nope.ts", message: "nope.ts: it cannot be imported" }
  ])("refuses a module without charts: $message", async ({ file, message }) => {
    const args = ["steer", "check", "web.yaml", "--strategies", file]
    const { code, stderr } = await charthouse(args, { "web.yaml": named })
    expect([code, stderr.startsWith(`error: ${message}`)]).toEqual([2, true])
  })
})

const untilSteered = async (cluster: OpenCluster, reason: string): Promise<void> => {
  for await (const { object } of cluster.watch("deployments.apps"))
    if (conditionOf(object.status.conditions, "charthouse.dev/Steered")?.reason === reason) return
}

describe("charthouse steer --strategies", () => {
  it("steers the Deployments of a server by a chart of the user's own", async () => {
    await using cluster = await openCluster({
      seed: 7,
      clock: "real",
      behaviour: "instant",
      behaviours: shopBehaviours
    })
    // The controller under test is the process.
    await cluster.fault({ fault: "controllerStopped", controller: "steering" })
    const config = join(temporaryFolder(), "config")
    writeFileSync(config, (await cluster.serve({ tls: false })).kubeconfig)
    const args = ["steer", "--kubeconfig", config, "--strategies", firstCrash, "--listen", "127.0.0.1:0"]
    const controller = await serving(args, /"message":"leading"/u)
    await cluster.create(webDeployment("firstCrash"))
    await untilSteered(cluster, "Complete")
    await setImage(cluster, "web:crash")
    await untilSteered(cluster, "RolledBack")
    expect(await steeredText(cluster)).toContain("containers of new Pods restarted")
    expect(await controller.end("SIGTERM")).toBe(0)
  })

  it("refuses a module without charts before it connects", async () => {
    const { code, stderr } = await charthouse(["steer", "--strategies", withoutChart])
    expect([code, stderr]).toEqual([2, expect.stringContaining("it exports no strategy")])
  })
})
