import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { charthouse } from "../cli/charthouse.ts"
import { aFolder } from "../cli/kubeconfigs.ts"
import { up } from "../cli/serving.ts"
import { receive } from "./receiver.ts"

const examples = resolve(import.meta.dirname, "../../scripts/examples")
const file = ["-f", join(examples, "web-v1.yaml")]
const started = /Ctrl-C ends it/

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

const inspected = async (...args: ReadonlyArray<string>) => {
  const { printed, end } = await up(
    [...args, "--clock", "60x", "--kubeconfig", join(aFolder(), "config")],
    started
  )
  closing.push(() => end("SIGINT"))
  const url = /watched at (\S+)/.exec(printed())?.[1] ?? ""
  return { printed, end, receiver: receive(url) }
}

describe("charthouse up --strategies", () => {
  const blueGreen = resolve(import.meta.dirname, "../machines/blueGreen.ts")
  const withOwn = () => {
    const manifest = join(aFolder(), "own.yaml")
    const text = readFileSync(join(examples, "web-v1.yaml"), "utf8")
    writeFileSync(manifest, text.replace("spec:\n", "spec:\n  strategy: { type: BlueGreen }\n"))
    return ["-f", manifest, "--clock", "60x", "--no-tls"]
  }

  it("rolls out by a strategy of the user's own, and gives the page its chart", async () => {
    const { url, token, printed, end } = await up([...withOwn(), "--strategies", blueGreen], started)
    closing.push(() => end("SIGINT"))
    expect(printed()).toContain('deployment "web" successfully rolled out')
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}/charthouse/v1/recording?steps=none`, { headers })
    const [header = ""] = (await answer.text()).split("\n")
    const { charts } = JSON.parse(header) as { readonly charts: Readonly<Record<string, string>> }
    expect(charts["deployment"]).toContain('data-state="deployment.rollout.blueGreen.switching"')
  })

  it.each([
    { args: [], says: 'supported values: "Recreate", "RollingUpdate"', why: "nobody has given it" },
    { args: ["--strategies", "nope.ts"], says: "error: nope.ts: it cannot be imported", why: "no such file" }
  ])("refuses a Deployment that asks for one with $args: $why", async ({ args, says }) => {
    const { code, stderr } = await charthouse(["up", ...withOwn(), ...args])
    expect(code).toBe(2)
    expect(stderr).toContain(says)
  })
})

describe("charthouse up --inspect", () => {
  it("shows the package's own receiver every actor of the cluster, and ends when told to", async () => {
    const { receiver, end } = await inspected(...file, "--inspect")
    const frames = await receiver.until(({ name }) => name?.startsWith("pod/default/web-") === true)
    const charts = frames.flatMap(({ name }) => name?.split("/")[0] ?? [])
    expect(new Set(charts)).toEqual(new Set(["node", "deployment", "replicaSet", "pod"]))
    expect(await end("SIGINT")).toBe(0)
  })

  it("shows one Deployment with what it owns, and says so of one that is not there yet", async () => {
    const { receiver, printed } = await inspected(...file, "--inspect", "deployment/web,pod/shop/late")
    expect(printed()).toContain("pod/shop/late is not there yet: it is shown as soon as it is")
    expect(printed()).not.toContain("deployment/default/web is not there")
    const frames = await receiver.until(({ name }) => name?.startsWith("pod/default/web-") === true)
    const parents = frames.flatMap(({ name, parentId }) => (parentId === undefined ? (name ?? []) : []))
    expect(parents).toEqual(["deployment/default/web"])
  })

  it.each([
    { only: "service/web", says: 'error: "service/web" cannot be inspected: no actor is of kind "service"' },
    { only: "web.yaml", says: "say a kind and a name, such as deployment/web" }
  ])("refuses $only before anything is served", async ({ only, says }) => {
    const { code, stderr } = await charthouse(["up", "--no-tls", "--inspect", only])
    expect(code).toBe(2)
    expect(stderr).toContain(says)
  })

  it("says that a run takes no story under it", async () => {
    const { code, stderr } = await charthouse(["run", "--inspect", "story.yaml"])
    expect(code).toBe(2)
    expect(stderr).toContain("say what to run")
  })
})
