import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { writerText } from "../../../src/explain/steps/writerText.ts"
import { openTestServer } from "../../server/testServer.ts"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import type { Step } from "../../../src/explain/steps/step.ts"
import type { TestServer } from "../../server/testServer.ts"

const deployments = "/apis/apps/v1/namespaces/default/deployments"
const asKubectl = { "user-agent": "kubectl/1.36", "content-type": "application/merge-patch+json" }

const withWeb = async (replicas: number): Promise<TestServer> => {
  const served = await openTestServer({ behaviour: "steady", record: true })
  await served.request("POST", deployments, { body: deploymentManifest({ replicas }) })
  await served.request("POST", "/charthouse/v1/clock/settle")
  return served
}

/** The writers of the changes of a resource that woke the actors of a kind. */
const writersOf = async (
  served: TestServer,
  kind: string,
  resource: string
): Promise<ReadonlySet<string>> => {
  const { text } = await served.request("GET", "/charthouse/v1/recording")
  const steps = text
    .split("\n")
    .filter((line) => line.startsWith('{"type":"step"'))
    .map((line) => (JSON.parse(line) as { readonly step: Step }).step)
  return new Set(
    steps.flatMap((step) =>
      step.kind === kind && step.because?.resource === resource ? [step.because.by ?? "absent"] : []
    )
  )
}

describe("the writer of a change in recorded steps", () => {
  it("is the scheduler when a Pod is bound", async () => {
    await using served = await withWeb(1)
    expect(await writersOf(served, "Pod", "pods")).toContain("the scheduler")
  })

  it("is the garbage collector when the owner of a Pod is gone", async () => {
    await using served = await withWeb(2)
    await served.request("DELETE", `${deployments}/web`)
    await served.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(served, "Pod", "pods")).toContain("the garbage collector")
  })

  it("is a client by its user agent, or an unnamed client", async () => {
    await using served = await withWeb(2)
    await served.request("PATCH", `${deployments}/web/scale`, {
      body: { spec: { replicas: 3 } },
      headers: asKubectl
    })
    await served.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(served, "Deployment", "deployments.apps")).toContain("kubectl")
    const [pod] = (await served.request("GET", "/api/v1/namespaces/default/pods")).json.items
    await served.request("DELETE", `/api/v1/namespaces/default/pods/${pod.metadata.name}`)
    await served.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(served, "Pod", "pods")).toContain("a client")
  })

  it("is a fault that has deleted a Pod, also if the recording began just before", async () => {
    await using served = await openTestServer({ behaviour: "steady" })
    await served.request("POST", deployments, { body: deploymentManifest({ replicas: 2 }) })
    await served.request("POST", "/charthouse/v1/clock/settle")
    await served.request("GET", "/charthouse/v1/recording")
    const kill = { fault: "kill", pods: { deployment: "web", count: 1 } } as const
    await Effect.runPromise(served.cluster.faultInjector.begin(kill))
    await served.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(served, "Pod", "pods")).toContain("a fault")
  })

  it("is no client that only made a dry run", async () => {
    await using served = await withWeb(2)
    const before = await writersOf(served, "Deployment", "deployments.apps")
    const body = { spec: { replicas: 2 } }
    await served.request("PATCH", `${deployments}/web?dryRun=All`, { body, headers: asKubectl })
    await served.request("POST", "/charthouse/v1/clock/settle")
    expect(await writersOf(served, "Deployment", "deployments.apps")).toEqual(before)
  })

  it("is the Node's actor when a lost node updates its Pods", async () => {
    await using served = await withWeb(3)
    const [pod] = (await served.request("GET", "/api/v1/namespaces/default/pods")).json.items
    const node: string = pod.spec.nodeName
    await Effect.runPromise(served.cluster.setKubelet(node, "stopped"))
    await served.request("POST", "/charthouse/v1/clock/advance?by=7m")
    expect(await writersOf(served, "ReplicaSet", "pods")).toContain(`Node ${node}`)
  })

  it.each([
    ["clients", "a client"],
    ["podGarbageCollector", "the Pod garbage collector"],
    ["namespace", "the namespace controller"],
    ["endpoints", "the endpoints controller"]
  ])("has a text: %s", (party, text) => {
    expect(writerText(party)).toBe(text)
  })
})
