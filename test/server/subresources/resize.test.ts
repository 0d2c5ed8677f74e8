import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openTestServer } from "../testServer.ts"
import type { Json, Reply, TestServer } from "../testServer.ts"

const pods = "/api/v1/namespaces/default/pods"
const subresource = `${pods}/web/resize`
const strategic = { "content-type": "application/strategic-merge-patch+json" }

const firstResources = { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } }

const podWith = (name: string, container: object, more: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: "app", image: "a:1", resources: firstResources, ...container }], ...more }
})

const openServer = async (container: object = {}): Promise<TestServer> => {
  const server = await openTestServer({
    behaviour: "steady",
    nodes: { count: 1, cpu: "4", memory: "8Gi" }
  })
  await server.request("POST", pods, { body: podWith("web", container) })
  await advance(server)
  return server
}

const advance = (server: TestServer, time = "1m"): Promise<void> =>
  Effect.runPromise(server.cluster.advance(time))

const podOf = async ({ request }: TestServer): Promise<Json> => (await request("GET", `${pods}/web`)).json

const resize = ({ request }: TestServer, resources: object, more: object = {}): Promise<Reply> =>
  request("PATCH", subresource, {
    body: { spec: { containers: [{ name: "app", resources, ...more }] } },
    headers: strategic
  })

const resizeConditionOf = (pod: Json): Json =>
  pod.status.conditions.find(({ type }: Json) => type.startsWith("PodResize"))

const statusOf = (pod: Json): Json => pod.status.containerStatuses[0]

describe("a resize", () => {
  it("is actuated while the container runs on, when its node has room", async () => {
    await using server = await openServer()
    const before = await podOf(server)
    const { code, json } = await resize(server, { requests: { cpu: "200m" }, limits: { memory: "256Mi" } })
    expect([code, json.metadata.generation]).toEqual([200, before.metadata.generation + 1])
    await advance(server)
    const after = await podOf(server)
    const resources = {
      requests: { cpu: "200m", memory: "64Mi" },
      limits: { cpu: "1", memory: "256Mi" }
    }
    expect(after.spec.containers[0].resources).toEqual(resources)
    expect(statusOf(after)).toEqual({
      ...statusOf(before),
      resources,
      allocatedResources: resources.requests
    })
    expect(resizeConditionOf(after)).toBe(undefined)
    expect(after.status.observedGeneration).toBe(after.metadata.generation)
  })

  it("restarts the container once, when its resize policy says so", async () => {
    await using server = await openServer({
      resizePolicy: [{ resourceName: "memory", restartPolicy: "RestartContainer" }]
    })
    await resize(server, { requests: { cpu: "200m" } })
    await advance(server)
    expect(statusOf(await podOf(server))).toMatchObject({ restartCount: 0 })
    await resize(server, { limits: { memory: "256Mi" } })
    const begun = await podOf(server)
    expect(statusOf(begun).resources.limits.memory).toBe("128Mi")
    await advance(server)
    const after = await podOf(server)
    expect(statusOf(after)).toMatchObject({
      restartCount: 1,
      ready: true,
      resources: { limits: { memory: "256Mi" } },
      lastState: { terminated: { exitCode: 137 } }
    })
    expect(resizeConditionOf(after)).toBe(undefined)
    await advance(server, "1h")
    expect(statusOf(await podOf(server)).restartCount).toBe(1)
  })

  it("is infeasible when it asks for more than its node has, until it asks for less", async () => {
    await using server = await openServer()
    await resize(server, { requests: { cpu: "5" }, limits: { cpu: "6" } })
    await advance(server)
    const pending = await podOf(server)
    expect(resizeConditionOf(pending)).toMatchObject({
      type: "PodResizePending",
      status: "True",
      reason: "Infeasible",
      message: "Node didn't have enough capacity: cpu, requested: 5000, capacity: 4000",
      observedGeneration: pending.metadata.generation
    })
    expect(statusOf(pending)).toMatchObject({
      allocatedResources: { cpu: "100m" },
      resources: { requests: { cpu: "100m" } }
    })
    await resize(server, { requests: { cpu: "1" }, limits: { cpu: "1" } })
    await advance(server)
    const after = await podOf(server)
    expect([resizeConditionOf(after), statusOf(after).allocatedResources.cpu]).toEqual([undefined, "1"])
  })

  it("is deferred while other Pods take up the room, and actuated when they are gone", async () => {
    await using server = await openServer()
    const other = podWith("other", { resources: { requests: { cpu: "3" } } })
    await server.request("POST", pods, { body: other })
    await advance(server)
    await resize(server, { requests: { cpu: "2" }, limits: { cpu: "2" } })
    await advance(server)
    expect(resizeConditionOf(await podOf(server))).toMatchObject({
      reason: "Deferred",
      message: "Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000"
    })
    await server.request("DELETE", `${pods}/other`)
    await advance(server)
    const after = await podOf(server)
    expect([resizeConditionOf(after), statusOf(after).allocatedResources.cpu]).toEqual([undefined, "2"])
  })

  it.each([
    {
      why: "less CPU for a Pod on the node",
      name: "web",
      requests: { cpu: "2" },
      nodeName: "node-1",
      tries: 1
    },
    {
      why: "less CPU for the waiting Pod",
      name: "other",
      requests: { cpu: "1" },
      nodeName: "node-1",
      tries: 1
    },
    { why: "less of what does not lack", name: "web", requests: { memory: "1Gi" }, tries: 1 },
    { why: "less CPU, but not enough", name: "web", requests: { cpu: "2500m" }, tries: 2 }
  ])("concerns a Pod that waits for CPU: $why", async ({ name, requests, nodeName, tries }) => {
    await using server = await openServer({ resources: { requests: { cpu: "3", memory: "2Gi" } } })
    await server.request("POST", pods, { body: podWith("other", { resources: { requests: { cpu: "2" } } }) })
    await advance(server)
    const { code } = await server.request("PATCH", `${pods}/${name}/resize`, {
      body: { spec: { containers: [{ name: "app", resources: { requests } }] } },
      headers: strategic
    })
    await advance(server)
    const { json } = await server.request("GET", `${pods}/other`)
    const events = await server.request("GET", "/api/v1/namespaces/default/events")
    const failures = events.json.items.filter(({ reason }: Json) => reason === "FailedScheduling")
    expect([code, json.spec.nodeName]).toEqual([200, nodeName])
    expect(failures.reduce((sum: number, { count }: Json) => sum + count, 0)).toBe(tries)
  })

  it("counts against the quota of its namespace", async () => {
    await using server = await openServer()
    const quota = { metadata: { name: "few" }, spec: { hard: { "requests.cpu": "150m" } } }
    await server.request("POST", "/api/v1/namespaces/default/resourcequotas", { body: quota })
    await advance(server)
    const { code, json } = await resize(server, { requests: { cpu: "200m" } })
    expect([code, json.message]).toEqual([
      403,
      'pods "web" is forbidden: exceeded quota: few, requested: requests.cpu=100m, used: requests.cpu=100m, limited: requests.cpu=150m'
    ])
  })

  it.each([
    {
      why: "it changes the class of service",
      resources: { requests: { cpu: "1", memory: "128Mi" } },
      message: 'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'
    },
    {
      why: "it removes a limit",
      resources: { limits: { cpu: null } },
      message: "spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed"
    },
    {
      why: "it changes another resource",
      resources: { requests: { "ephemeral-storage": "1Gi" } },
      message: "spec: Forbidden: only cpu and memory resources are mutable"
    },
    {
      why: "a request is above its limit",
      resources: { requests: { cpu: "2" } },
      message:
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'
    }
  ])("is refused when $why", async ({ resources, message }) => {
    await using server = await openServer()
    const { code, json } = await resize(server, resources)
    expect([code, json.message]).toEqual([422, `Pod "web" is invalid: ${message}`])
  })

  it("takes nothing but resources from the body", async () => {
    await using server = await openServer()
    const { code, json } = await resize(server, { requests: { cpu: "300m" } }, { image: "other" })
    expect([code, json.spec.containers[0].image, json.spec.containers[0].resources.requests.cpu]).toEqual([
      200,
      "a:1",
      "300m"
    ])
  })

  it("leaves a Pod that was never resized without resources in its status", async () => {
    await using server = await openServer()
    expect(statusOf(await podOf(server))).not.toHaveProperty("resources")
  })
})
