import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { metricsText } from "../../../src/server/metrics/metricsText.ts"
import { openTestServer, withTestServer } from "../testServer.ts"
import { readMetrics } from "./readMetrics.ts"
import type { ReadMetric } from "./readMetrics.ts"
import type { TestServer } from "../testServer.ts"

const deployments = "/apis/apps/v1/namespaces/default/deployments"
const pods = "/api/v1/namespaces/default/pods"

const scrape = async ({ request }: TestServer): Promise<ReadonlyMap<string, ReadMetric>> => {
  const { code, headers, text } = await request("GET", "/metrics")
  expect([code, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"])
  return readMetrics(text)
}

/** The sum of the samples with these labels; undefined if there are none. */
const valueOf = (
  metrics: ReadonlyMap<string, ReadMetric>,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number | undefined => {
  const family = [...metrics].find(([family]) => name === family || name === `${family}_count`)
  const found = family?.[1].samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text)
  )
  return found === undefined || found.length === 0
    ? undefined
    : found.reduce((sum, { value }) => sum + value, 0)
}

describe("the metrics of requests", () => {
  it.each<{
    readonly what: string
    readonly method: string
    readonly path: string
    readonly body?: object
    readonly type?: string
    readonly labels: Readonly<Record<string, string>>
  }>([
    {
      what: "a list in a namespace",
      method: "GET",
      path: deployments,
      labels: { verb: "LIST", group: "apps", resource: "deployments", scope: "namespace", code: "200" }
    },
    {
      what: "a list of all namespaces",
      method: "GET",
      path: "/api/v1/pods",
      labels: { verb: "LIST", group: "", resource: "pods", scope: "cluster", code: "200" }
    },
    {
      what: "an object that is not found",
      method: "GET",
      path: `${pods}/none`,
      labels: { verb: "GET", resource: "pods", scope: "resource", code: "404" }
    },
    {
      what: "a create that is only tried",
      method: "POST",
      path: `${deployments}?dryRun=All`,
      body: deploymentManifest({ replicas: 1 }),
      labels: { verb: "POST", resource: "deployments", scope: "resource", dry_run: "All", code: "201" }
    },
    {
      what: "a body that cannot be read",
      method: "POST",
      path: pods,
      body: { kind: 5 },
      labels: { verb: "POST", resource: "pods", code: "400" }
    },
    {
      what: "a server-side apply to a subresource",
      method: "PATCH",
      path: `${deployments}/web/scale?fieldManager=test`,
      body: { spec: { replicas: 2 } },
      type: "application/apply-patch+yaml",
      labels: { verb: "APPLY", resource: "deployments", subresource: "scale", code: "404" }
    }
  ])("count $what", ({ method, path, body, type, labels }) =>
    withTestServer(async (server) => {
      const headers = type === undefined ? {} : { "content-type": type }
      await server.request(method, path, { body, headers })
      const metrics = await scrape(server)
      const { code: _, ...withoutCode } = labels
      expect(valueOf(metrics, "apiserver_request_total", labels)).toBe(1)
      expect(valueOf(metrics, "apiserver_request_total")).toBe(1)
      expect(valueOf(metrics, "apiserver_request_duration_seconds_count", withoutCode)).toBe(1)
    })
  )

  it("count a watch when it ends, and show it while it is open", () =>
    withTestServer(async (server) => {
      const watching = await server.watch(`${pods}?watch=1`)
      const watch = { verb: "WATCH", resource: "pods" }
      const whileOpen = await scrape(server)
      expect(valueOf(whileOpen, "apiserver_longrunning_requests", watch)).toBe(1)
      expect(valueOf(whileOpen, "apiserver_request_total", watch)).toBe(undefined)
      watching.close()
      await watching.ended
      await expect.poll(async () => valueOf(await scrape(server), "apiserver_request_total", watch)).toBe(1)
      expect(valueOf(await scrape(server), "apiserver_longrunning_requests", watch)).toBe(0)
    }))

  it("count no path that is not served, and show the scrape itself as under way", () =>
    withTestServer(async (server) => {
      await server.request("GET", "/apis/apps/v1/namespaces/default/nothings")
      await server.request("GET", "/healthz")
      const metrics = await scrape(server)
      expect(valueOf(metrics, "apiserver_request_total")).toBe(undefined)
      const inFlight = "apiserver_current_inflight_requests"
      expect(valueOf(metrics, inFlight, { request_kind: "readOnly" })).toBe(1)
      expect(valueOf(metrics, inFlight, { request_kind: "mutating" })).toBe(0)
    }))
})

describe("the metrics of a cluster", () => {
  it("show what is stored, what waits for a node, and what the controllers did, after a rollout", async () => {
    await using server = await openTestServer({ behaviour: "steady" })
    const stuck = {
      metadata: { name: "stuck" },
      spec: { containers: [{ name: "app", image: "a:1" }], nodeSelector: { disk: "none" } }
    }
    const gated = {
      metadata: { name: "gated" },
      spec: { containers: [{ name: "app", image: "a:1" }], schedulingGates: [{ name: "example.com/wait" }] }
    }
    const before = await scrape(server)
    await server.request("POST", deployments, { body: deploymentManifest({ replicas: 3 }) })
    for (const body of [stuck, gated]) await server.request("POST", pods, { body })
    await Effect.runPromise(server.cluster.advance("1m"))
    const after = await scrape(server)
    expect(valueOf(after, "apiserver_storage_objects", { resource: "pods" })).toBe(5)
    expect(valueOf(after, "apiserver_resource_objects", { group: "apps", resource: "replicasets" })).toBe(1)
    expect(valueOf(after, "apiserver_storage_objects", { resource: "events.events.k8s.io" })).toBe(undefined)
    const bytes = "apiserver_storage_size_bytes"
    expect((valueOf(after, bytes) ?? 0) - (valueOf(before, bytes) ?? 0)).toBeGreaterThan(5000)
    const pending = (queue: string) => valueOf(after, "scheduler_pending_pods", { queue })
    expect([pending("unschedulable"), pending("gated"), pending("active")]).toEqual([1, 1, 0])
    for (const controller of ["deployment", "replicaset", "pod", "endpoint", "scheduler"]) {
      const reconciled = valueOf(after, "controller_runtime_reconcile_total", {
        controller,
        result: "success"
      })
      expect([controller, reconciled]).toEqual([controller, expect.any(Number)])
      expect(reconciled).toBeGreaterThan(0)
      expect(valueOf(after, "workqueue_adds_total", { name: controller })).toBeGreaterThanOrEqual(
        reconciled ?? 0
      )
      expect(valueOf(after, "workqueue_depth", { name: controller })).toBe(0)
    }
  })

  it("count a refused attempt as an error that is tried again, when a quota is used up", async () => {
    await using server = await openTestServer({ behaviour: "steady" })
    const quota = { metadata: { name: "few" }, spec: { hard: { pods: "1" } } }
    await server.request("POST", "/api/v1/namespaces/default/resourcequotas", { body: quota })
    await server.request("POST", deployments, { body: deploymentManifest({ replicas: 3 }) })
    await Effect.runPromise(server.cluster.advance("1m"))
    const errors = { controller: "replicaset", result: "error" }
    expect(valueOf(await scrape(server), "controller_runtime_reconcile_total", errors)).toBeGreaterThan(0)
  })

  it("tell of the process", () =>
    withTestServer(async (server) => {
      const metrics = await scrape(server)
      const start = valueOf(metrics, "process_start_time_seconds") ?? 0
      expect(Math.abs(Date.now() / 1000 - start)).toBeLessThan(3600)
      expect(valueOf(metrics, "process_cpu_seconds_total")).toBeGreaterThan(0)
      expect(valueOf(metrics, "process_resident_memory_bytes")).toBeGreaterThan(1e6)
    }))

  it("are refused without the token", () =>
    withTestServer(async ({ request }) => {
      expect((await request("GET", "/metrics", { headers: { authorization: "" } })).code).toBe(401)
    }))
})

describe("the text of metrics", () => {
  it("escapes help and labels so that they can be read back", () => {
    const labels = { path: 'C:\\a "b"\n' }
    const family = { name: "a", type: "gauge", help: "one\\two\nthree", samples: [{ labels, value: 1.5e-7 }] }
    const text = metricsText([{ ...family, type: "gauge" }])
    expect(text.split("\n")[0]).toBe(String.raw`# HELP a one\\two\nthree`)
    expect(readMetrics(text).get("a")?.samples).toEqual([{ name: "a", labels, value: 1.5e-7 }])
  })

  it("leaves out a metric that has no series", () => {
    expect(metricsText([{ name: "a", type: "gauge", help: "none", samples: [] }])).toBe("")
  })
})
