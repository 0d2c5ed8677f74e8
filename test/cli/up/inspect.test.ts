import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { charthouse, charthouseProcess } from "../harness/charthouse.ts"
import { conditionOf } from "../../../src/kubernetes/meta/conditions.ts"
import { stringify } from "yaml"
import { webDeployment } from "../../steering/steeredShop.ts"
import { temporaryFolder } from "../harness/kubeconfigs.ts"
import { fetchWithToken, up } from "../harness/servingCommand.ts"
import { receive } from "../../inspect/statelyReceiver.ts"
import { projectPath } from "../../projectPath.ts"
import type { Deployment } from "../../../src/kubernetes/meta/objects.ts"

const examples = projectPath("scripts/examples")
const file = ["-f", join(examples, "web-v1.yaml")]
const started = /Ctrl-C ends it/

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

const upInspected = async (...args: ReadonlyArray<string>) => {
  const { printed, end } = await up(
    [...args, "--clock", "60x", "--kubeconfig", join(temporaryFolder(), "config")],
    started
  )
  closing.push(() => end("SIGINT"))
  const url = /watched at (\S+)/.exec(printed())?.[1] ?? ""
  return { printed, end, receiver: receive(url) }
}

describe("charthouse up --strategies", () => {
  const blueGreen = projectPath("test/machines/strategies/blueGreen.ts")
  const blueGreenFlags = () => {
    const manifest = join(temporaryFolder(), "own.yaml")
    const text = readFileSync(join(examples, "web-v1.yaml"), "utf8")
    writeFileSync(manifest, text.replace("spec:\n", "spec:\n  strategy: { type: BlueGreen }\n"))
    return ["-f", manifest, "--clock", "60x", "--no-tls"]
  }

  it("rolls out by a custom strategy, and gives the page its chart", async () => {
    const { url, token, printed, end } = await up([...blueGreenFlags(), "--strategies", blueGreen], started)
    closing.push(() => end("SIGINT"))
    expect(printed()).toContain('deployment "web" successfully rolled out')
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}/charthouse/v1/recording?steps=none`, { headers })
    const [header = ""] = (await answer.text()).split("\n")
    const { charts } = JSON.parse(header) as { readonly charts: Readonly<Record<string, string>> }
    expect(charts["deployment"]).toContain('data-state="deployment.rollout.blueGreen.switching"')
  })

  it("steers by a custom chart", async () => {
    const manifest = join(temporaryFolder(), "steered.yaml")
    writeFileSync(manifest, stringify(webDeployment("firstCrash")))
    const strategies = projectPath("test/steering/firstCrash.ts")
    const args = ["-f", manifest, "--clock", "virtual", "--no-tls", "--strategies", strategies]
    const { url, token, end } = await up(args, started)
    closing.push(() => end("SIGINT"))
    const answer = await fetchWithToken(url, token, "/apis/apps/v1/namespaces/default/deployments/web")
    const { status } = (await answer.json()) as Deployment
    expect(conditionOf(status.conditions, "charthouse.dev/Steered")?.reason).toBe("Complete")
  })

  it.each([
    {
      args: [],
      expectedText: 'supported values: "Recreate", "RollingUpdate"',
      why: "no module defines the strategy"
    },
    {
      args: ["--strategies", "nope.ts"],
      expectedText: "error: nope.ts: it cannot be imported",
      why: "the module is missing"
    }
  ])("refuses a Deployment with a custom strategy and $args: $why", async ({ args, expectedText }) => {
    const { code, stderr } = await charthouseProcess(["up", ...blueGreenFlags(), ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(expectedText)
  })
})

describe("charthouse up --inspect", () => {
  it("sends every actor of the cluster to the published receiver, and ends on Ctrl-C", async () => {
    const { receiver, end } = await upInspected(...file, "--inspect")
    const frames = await receiver.until(({ name }) => name?.startsWith("pod/default/web-") === true)
    const charts = frames.flatMap(({ name }) => name?.split("/")[0] ?? [])
    expect(new Set(charts)).toEqual(new Set(["node", "deployment", "replicaSet", "pod"]))
    expect(await end("SIGINT")).toBe(0)
  })

  it("shows a Deployment with the actors it owns, and reports an actor that does not exist yet", async () => {
    const { receiver, printed } = await upInspected(...file, "--inspect", "deployment/web,pod/shop/late")
    expect(printed()).toContain("pod/shop/late is not there yet: it is shown as soon as it is")
    expect(printed()).not.toContain("deployment/default/web is not there")
    const frames = await receiver.until(({ name }) => name?.startsWith("pod/default/web-") === true)
    const parents = frames.flatMap(({ name, parentId }) => (parentId === undefined ? (name ?? []) : []))
    expect(parents).toEqual(["deployment/default/web"])
  })

  it.each([
    {
      only: "service/web",
      expectedText: 'error: "service/web" cannot be inspected: no actor is of kind "service"'
    },
    { only: "web.yaml", expectedText: "say a kind and a name, such as deployment/web" }
  ])("refuses $only before it serves", async ({ only, expectedText }) => {
    const { code, stderr } = await charthouseProcess(["up", "--no-tls", "--inspect", only])
    expect(code).toBe(2)
    expect(stderr).toContain(expectedText)
  })

  it("is no flag that takes a story", async () => {
    const { code, stderr } = await charthouse(["run", "--inspect", "story.yaml"])
    expect(code).toBe(2)
    expect(stderr).toContain("say what to run")
  })
})
