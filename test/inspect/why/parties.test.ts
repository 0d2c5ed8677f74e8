import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { writerText } from "../../../src/explain/steps/writerText.ts"
import { openWorld } from "../../api/world.ts"
import { aManifest } from "../../cluster/worlds.ts"
import type { Step } from "../../../src/explain/steps/step.ts"
import type { World } from "../../api/world.ts"

const deployments = "/apis/apps/v1/namespaces/default/deployments"
const asKubectl = { "user-agent": "kubectl/1.36", "content-type": "application/merge-patch+json" }

const withWeb = async (replicas: number): Promise<World> => {
  const world = await openWorld({ behaviour: "steady", record: true })
  await world.request("POST", deployments, { body: aManifest({ replicas }) })
  await world.request("POST", "/charthouse/v1/clock/settle")
  return world
}

/** Who made the changes that woke the actors of a kind, of a resource. */
const writersOf = async (world: World, kind: string, resource: string): Promise<ReadonlySet<string>> => {
  const { text } = await world.request("GET", "/charthouse/v1/recording")
  const steps = text
    .split("\n")
    .filter((line) => line.startsWith('{"type":"step"'))
    .map((line) => (JSON.parse(line) as { readonly step: Step }).step)
  return new Set(
    steps.flatMap((step) =>
      step.kind === kind && step.because?.resource === resource ? [step.because.by ?? "nobody"] : []
    )
  )
}

describe("who made a change", () => {
  it("is the scheduler where a Pod has got its node", async () => {
    await using world = await withWeb(1)
    expect(await writersOf(world, "Pod", "pods")).toContain("the scheduler")
  })

  it("is the garbage collector where the owner of a Pod is gone", async () => {
    await using world = await withWeb(2)
    await world.request("DELETE", `${deployments}/web`)
    await world.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(world, "Pod", "pods")).toContain("the garbage collector")
  })

  it("is a client by what it calls itself, or else somebody from outside", async () => {
    await using world = await withWeb(2)
    await world.request("PATCH", `${deployments}/web/scale`, {
      body: { spec: { replicas: 3 } },
      headers: asKubectl
    })
    await world.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(world, "Deployment", "deployments.apps")).toContain("kubectl")
    const [pod] = (await world.request("GET", "/api/v1/namespaces/default/pods")).json.items
    await world.request("DELETE", `/api/v1/namespaces/default/pods/${pod.metadata.name}`)
    await world.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(world, "Pod", "pods")).toContain("a client")
  })

  it("is a fault where one has deleted a Pod, though somebody comes to ask only then", async () => {
    await using world = await openWorld({ behaviour: "steady" })
    await world.request("POST", deployments, { body: aManifest({ replicas: 2 }) })
    await world.request("POST", "/charthouse/v1/clock/settle")
    await world.request("GET", "/charthouse/v1/recording")
    const kill = { fault: "kill", pods: { deployment: "web", count: 1 } } as const
    await Effect.runPromise(world.cluster.faults.begin(kill))
    await world.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(world, "Pod", "pods")).toContain("a fault")
  })

  it("is not who has only tried it, or has changed nothing", async () => {
    await using world = await withWeb(2)
    const before = await writersOf(world, "Deployment", "deployments.apps")
    const body = { spec: { replicas: 2 } }
    await world.request("PATCH", `${deployments}/web?dryRun=All`, { body, headers: asKubectl })
    await world.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(world, "Deployment", "deployments.apps")).toEqual(before)
  })

  it("is a Node's own actor where a node is lost, and its Pods are told", async () => {
    await using world = await withWeb(3)
    const [pod] = (await world.request("GET", "/api/v1/namespaces/default/pods")).json.items
    const node: string = pod.spec.nodeName
    await Effect.runPromise(world.cluster.setKubelet(node, "stopped"))
    await world.request("POST", "/charthouse/v1/clock/advance?by=7m")
    expect(await writersOf(world, "ReplicaSet", "pods")).toContain(`Node ${node}`)
  })

  it.each([
    ["clients", "a client"],
    ["podGarbageCollector", "the Pod garbage collector"],
    ["namespace", "the namespace controller"],
    ["endpoints", "the endpoints controller"]
  ])("is told in words: %s", (party, text) => {
    expect(writerText(party)).toBe(text)
  })
})
