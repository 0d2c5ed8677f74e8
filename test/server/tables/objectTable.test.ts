import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { aDeployment, aPod, asTable, deployments, pods, replicaSets } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

const ask = ({ request }: Pick<TestServer, "request">, path: string) =>
  request("GET", path, { headers: asTable })
const columnsOf = (json: Json, priority: number): ReadonlyArray<string> =>
  json.columnDefinitions.filter((it: Json) => it.priority === priority).map(({ name }: Json) => name)

const rowsOf = (json: Json): ReadonlyArray<Record<string, unknown>> =>
  json.rows.map(({ cells }: Json) =>
    Object.fromEntries(json.columnDefinitions.map(({ name }: Json, index: number) => [name, cells[index]]))
  )

const core = "/api/v1/namespaces/default"

describe("a table has the columns of its kind", () => {
  it.each([
    {
      path: deployments,
      narrow: ["Name", "Ready", "Up-to-date", "Available", "Age"],
      wide: ["Containers", "Images", "Selector"]
    },
    {
      path: replicaSets,
      narrow: ["Name", "Desired", "Current", "Ready", "Age"],
      wide: ["Containers", "Images", "Selector"]
    },
    {
      path: pods,
      narrow: ["Name", "Ready", "Status", "Restarts", "Age"],
      wide: ["IP", "Node", "Nominated Node", "Readiness Gates"]
    },
    {
      path: `${core}/events`,
      narrow: ["Last Seen", "Type", "Reason", "Object", "Message"],
      wide: ["Subobject", "Source", "First Seen", "Count", "Name"]
    },
    { path: "/api/v1/namespaces", narrow: ["Name", "Status", "Age"], wide: [] },
    {
      path: "/api/v1/nodes",
      narrow: ["Name", "Status", "Roles", "Age", "Version"],
      wide: ["Internal-IP", "External-IP", "OS-Image", "Kernel-Version", "Container-Runtime"]
    },
    { path: `${core}/configmaps`, narrow: ["Name", "Data", "Age"], wide: [] },
    { path: `${core}/secrets`, narrow: ["Name", "Type", "Data", "Age"], wide: [] },
    {
      path: `${core}/services`,
      narrow: ["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age"],
      wide: ["Selector"]
    },
    { path: `${core}/serviceaccounts`, narrow: ["Name", "Age"], wide: [] },
    { path: `${core}/endpoints`, narrow: ["Name", "Endpoints", "Age"], wide: [] },
    {
      path: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
      narrow: ["Name", "Age", "SignerName", "Requestor", "RequestedDuration", "Condition"],
      wide: []
    },
    {
      path: "/apis/coordination.k8s.io/v1/namespaces/default/leases",
      narrow: ["Name", "Holder", "Age"],
      wide: []
    },
    {
      path: "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
      narrow: ["Name", "Min Available", "Max Unavailable", "Allowed Disruptions", "Age"],
      wide: []
    },
    {
      path: "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
      narrow: ["Name", "Reference", "Targets", "MinPods", "MaxPods", "Replicas", "Age"],
      wide: []
    },
    { path: `${core}/limitranges`, narrow: ["Name", "Created At"], wide: [] }
  ])("$path", ({ path, narrow, wide }) =>
    withTestServer(async (server) => {
      const { json } = await ask(server, path)
      expect([json.kind, json.apiVersion]).toEqual(["Table", "meta.k8s.io/v1"])
      expect(columnsOf(json, 0)).toEqual(narrow)
      expect(columnsOf(json, 1)).toEqual(wide)
      for (const column of json.columnDefinitions) {
        expect(Object.keys(column).sort()).toEqual(["description", "format", "name", "priority", "type"])
        if (column.name === "Name") expect(column).toMatchObject({ type: "string", format: "name" })
      }
    })
  )
})

describe("table cells", () => {
  const template = {
    containers: [
      { name: "app", image: "registry.example/app:v3" },
      { name: "proxy", image: "proxy:1" }
    ]
  }

  it("of a Deployment, its ReplicaSet and its Pods show their progress", () =>
    withTestServer(async (server) => {
      await server.request("POST", deployments, { body: aDeployment({ pod: template }) })
      await Effect.runPromise(server.cluster.rollout("web"))
      await Effect.runPromise(server.cluster.advance(3_600_000))
      const [deployment] = rowsOf((await ask(server, deployments)).json)
      expect(deployment).toEqual({
        Name: "web",
        Ready: "3/3",
        "Up-to-date": 3,
        Available: 3,
        Age: expect.stringMatching(/^60m$/),
        Containers: "app,proxy",
        Images: "registry.example/app:v3,proxy:1",
        Selector: "app=web"
      })
      const [replicaSet] = rowsOf((await ask(server, replicaSets)).json)
      expect(replicaSet).toMatchObject({
        Name: expect.stringMatching(/^web-[a-z0-9]+$/),
        Desired: 3,
        Current: 3,
        Ready: 3,
        Selector: expect.stringMatching(/^app=web,pod-template-hash=[a-z0-9]+$/)
      })
      for (const pod of rowsOf((await ask(server, pods)).json)) {
        expect(pod).toMatchObject({
          Ready: "2/2",
          Status: "Running",
          Restarts: "0",
          IP: expect.stringMatching(/^[\d.]+$/),
          Node: expect.stringMatching(/^node-[123]$/),
          "Nominated Node": "<none>",
          "Readiness Gates": "<none>"
        })
      }
    }))

  it("of nodes, namespaces and events show status, roles and reasons", () =>
    withTestServer(async (server) => {
      const labels = { "node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/edge": "" }
      const headers = { "content-type": "application/merge-patch+json" }
      const body = { metadata: { labels }, spec: { unschedulable: true } }
      await server.request("PATCH", "/api/v1/nodes/node-2", { body, headers })
      const nodes = rowsOf((await ask(server, "/api/v1/nodes")).json)
      expect(nodes.map(({ Name, Status, Roles }) => [Name, Status, Roles])).toEqual([
        ["node-1", "Ready", "<none>"],
        ["node-2", "Ready,SchedulingDisabled", "edge,worker"],
        ["node-3", "Ready", "<none>"]
      ])
      expect(nodes[0]).toMatchObject({ Version: "v1.36.2", "External-IP": "<none>" })
      const [namespace] = rowsOf((await ask(server, "/api/v1/namespaces")).json)
      expect(namespace).toEqual({ Name: "default", Status: "Active", Age: "0s" })
      await server.request("POST", deployments, { body: aDeployment() })
      await Effect.runPromise(server.cluster.rollout("web"))
      const events = rowsOf((await ask(server, `${core}/events`)).json)
      expect(events).toContainEqual(
        expect.objectContaining({
          Type: "Normal",
          Reason: "ScalingReplicaSet",
          Object: "deployment/web",
          Source: "deployment-controller",
          Count: 1
        })
      )
    }))

  it("of ConfigMaps, Secrets and Services show counts, types and ports", () =>
    withTestServer(async (server) => {
      const create = async (path: string, body: object): Promise<Record<string, unknown> | undefined> => {
        await server.request("POST", `${core}/${path}`, { body: { apiVersion: "v1", ...body } })
        return rowsOf((await ask(server, `${core}/${path}/a`)).json)[0]
      }
      const metadata = { name: "a" }
      expect(
        await create("configmaps", {
          kind: "ConfigMap",
          metadata,
          data: { one: "1" },
          binaryData: { two: "Mg==" }
        })
      ).toEqual({ Name: "a", Data: 2, Age: "0s" })
      expect(await create("secrets", { kind: "Secret", metadata, data: { one: "MQ==" } })).toEqual({
        Name: "a",
        Type: "Opaque",
        Data: 1,
        Age: "0s"
      })
      const spec = {
        selector: { app: "web", tier: "front" },
        ports: [{ port: 80 }, { port: 53, protocol: "UDP" }]
      }
      spec.ports.forEach((port, index) => Object.assign(port, { name: `p${index}` }))
      expect(await create("services", { kind: "Service", metadata, spec })).toMatchObject({
        Name: "a",
        Type: "ClusterIP",
        "Cluster-IP": expect.stringMatching(/./),
        "External-IP": "<none>",
        "Port(s)": "80/TCP,53/UDP",
        Selector: "app=web,tier=front"
      })
    }))
})

describe("the Status column of a Pod", () => {
  const running = { startedAt: "2026-01-01T00:00:00Z" }
  const ended = (more: object): object => ({ terminated: { exitCode: 0, ...more } })
  const one = (name: string, state: object, ready = false): object => ({
    name,
    ready,
    restartCount: 0,
    state,
    image: "a",
    imageID: ""
  })

  it("is that of podStatusText: NotReady when one container has completed and the Pod is not ready", () =>
    withTestServer(async ({ request }) => {
      const containers = ["app", "proxy"].map((name) => ({ name, image: "a" }))
      await request("POST", pods, { body: aPod({ pod: { schedulerName: "none", containers } }) })
      const status = {
        phase: "Running",
        containerStatuses: [one("app", ended({ reason: "Completed" })), one("proxy", { running }, true)]
      }
      const headers = { "content-type": "application/merge-patch+json" }
      const { code } = await request("PATCH", `${pods}/web-1/status`, { body: { status }, headers })
      expect(code).toBe(200)
      const { json } = await ask({ request }, `${pods}/web-1`)
      expect(rowsOf(json)[0]?.["Status"]).toBe("NotReady")
    }))

  it("is Terminating during deletion", () =>
    withTestServer(async ({ request, cluster }) => {
      await request("POST", pods, { body: aPod() })
      await Effect.runPromise(cluster.settle())
      await request("DELETE", `${pods}/web-1`)
      expect(rowsOf((await ask({ request }, pods)).json)[0]?.["Status"]).toBe("Terminating")
    }))

  it("is Completed in a marked row, with the time of the last restart", () =>
    withTestServer(async ({ request, cluster }) => {
      await request("POST", pods, { body: aPod({ pod: { schedulerName: "none" } }) })
      const headers = { "content-type": "application/merge-patch+json" }
      const lastState = ended({ exitCode: 1, finishedAt: "2026-01-01T00:00:00Z" })
      const status = {
        phase: "Succeeded",
        containerStatuses: [{ ...one("app", ended({ reason: "Completed" })), restartCount: 3, lastState }]
      }
      await request("PATCH", `${pods}/web-1/status`, { body: { status }, headers })
      await Effect.runPromise(cluster.advance(150_000))
      const { json } = await ask({ request }, `${pods}/web-1`)
      expect(json.rows[0].conditions).toMatchObject([
        { type: "Completed", status: "True", reason: "Succeeded" }
      ])
      expect(rowsOf(json)[0]).toMatchObject({ Status: "Completed", Restarts: "3 (2m30s ago)", Ready: "0/1" })
    }))
})

describe("a table row", () => {
  it("contains metadata, the whole object or no object, by includeObject", () =>
    withTestServer(async (server) => {
      await server.request("POST", deployments, { body: aDeployment() })
      const { json: object } = await server.request("GET", `${deployments}/web`)
      const included = async (query: string): Promise<Json> =>
        (await ask(server, `${deployments}/web${query}`)).json.rows[0].object
      const partial = {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: object.metadata
      }
      expect(await included("")).toEqual(partial)
      expect(await included("?includeObject=Metadata")).toEqual(partial)
      expect(await included("?includeObject=Object")).toEqual(object)
      expect(await included("?includeObject=None")).toBeNull()
      expect((await ask(server, `${deployments}?includeObject=Some`)).code).toBe(400)
    }))

  it("is paged like an object", () =>
    withTestServer(async (server) => {
      for (const name of ["a", "b", "c"])
        await server.request("POST", deployments, { body: aDeployment({ name }) })
      const { json } = await ask(server, `${deployments}?limit=2`)
      expect(json.rows.map(({ cells }: Json) => cells[0])).toEqual(["a", "b"])
      expect(json.metadata).toMatchObject({ remainingItemCount: 1, continue: expect.any(String) })
      const { json: rest } = await ask(server, `${deployments}?limit=2&continue=${json.metadata.continue}`)
      expect(rest.rows.map(({ cells }: Json) => cells[0])).toEqual(["c"])
      expect(rest.metadata.resourceVersion).toBe(json.metadata.resourceVersion)
    }))
})

describe("a watch of a table", () => {
  it("sends its columns once, then a row for each change", () =>
    withTestServer(async (server) => {
      await server.request("POST", deployments, { body: aDeployment() })
      const stream = await server.watch(`${deployments}?watch=1&allowWatchBookmarks=true`, asTable)
      const headers = { "content-type": "application/merge-patch+json" }
      await server.request("PATCH", `${deployments}/web`, { body: { spec: { paused: true } }, headers })
      const [added, bookmark, modified] = await stream.next(3)
      expect([added.type, added.object.kind, added.object.rows[0].cells[0]]).toEqual([
        "ADDED",
        "Table",
        "web"
      ])
      expect(added.object.columnDefinitions.length).toBeGreaterThan(0)
      expect(bookmark.type).toBe("BOOKMARK")
      expect(bookmark.object.rows[0].object.metadata.resourceVersion).toMatch(/^\d+$/)
      expect(modified.type).toBe("MODIFIED")
      expect(modified.object.columnDefinitions ?? []).toEqual([])
      expect(modified.object.rows[0].object).toMatchObject({ kind: "PartialObjectMetadata" })
      stream.close()
    }))
})
