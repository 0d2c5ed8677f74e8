import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { openTestServer, type TestServer } from "../testServer.ts"

const faults = "/charthouse/v1/faults"
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const lost = { fault: "nodeLost", node: "node-2", for: "5m" }
const cordoned = { fault: "nodeCordoned", node: "node-1" }

const begin = (server: TestServer, fault: unknown) => server.request("POST", faults, { body: fault })
const advance = (server: TestServer, by: string) =>
  server.request("POST", `/charthouse/v1/clock/advance?by=${by}`)
const activeFaultIds = async (server: TestServer): Promise<ReadonlyArray<string>> => {
  const { json } = await server.request("GET", faults)
  return json.items.map(({ id }: { readonly id: string }) => id)
}
const nodeOf = async (server: TestServer, name: string) =>
  (await server.request("GET", `/api/v1/nodes/${name}`)).json
const readiness = async (server: TestServer, name: string): Promise<string> => {
  const { status } = await nodeOf(server, name)
  return status.conditions.find(({ type }: { readonly type: string }) => type === "Ready").status
}

/** A server 30 seconds after its start, with the Deployment `web` of three Pods rolled out. */
const withWeb = async (): Promise<TestServer> => {
  const server = await openTestServer({ behaviour: "steady" })
  await server.request("POST", deployments, { body: deploymentManifest({ replicas: 3 }) })
  await advance(server, "30s")
  return server
}

describe("the fault endpoint", () => {
  it("begins a fault at once, lists it with its times, and ends it after its duration", async () => {
    await using server = await withWeb()
    const lostFault = {
      id: "fault-1",
      fault: lost,
      began: "2026-01-01T00:00:30.000Z",
      ends: "2026-01-01T00:05:30.000Z"
    }
    const { code, json } = await begin(server, lost)
    expect([code, json]).toEqual([201, lostFault])
    expect(await readiness(server, "node-2")).toBe("True")
    await advance(server, "2m")
    expect(await readiness(server, "node-2")).toBe("Unknown")
    const { json: list } = await server.request("GET", faults)
    expect(list).toEqual({ now: "2026-01-01T00:02:30.000Z", items: [lostFault] })
    expect((await server.request("GET", `${faults}/fault-1`)).json).toEqual(lostFault)
    await advance(server, "4m")
    expect([await activeFaultIds(server), await readiness(server, "node-2")]).toEqual([[], "True"])
  })

  it("ends one fault, or all of them", async () => {
    await using server = await withWeb()
    await begin(server, lost)
    await begin(server, cordoned)
    await begin(server, { fault: "quotaExhausted" })
    expect((await nodeOf(server, "node-1")).spec.unschedulable).toBe(true)
    const { code, json } = await server.request("DELETE", `${faults}/fault-2`)
    expect([code, json]).toMatchObject([
      200,
      { id: "fault-2", fault: cordoned, ended: "2026-01-01T00:00:30.000Z" }
    ])
    expect((await nodeOf(server, "node-1")).spec.unschedulable).toBeUndefined()
    const { json: rest } = await server.request("DELETE", faults)
    expect(rest.items.map(({ id }: { readonly id: string }) => id)).toEqual(["fault-1", "fault-3"])
    const { json: quotas } = await server.request("GET", "/api/v1/resourcequotas")
    expect([await activeFaultIds(server), quotas.items]).toEqual([[], []])
    expect((await server.request("DELETE", faults)).json.items).toEqual([])
  })

  it("answers an instant fault with its end and the number of affected Pods", async () => {
    await using server = await withWeb()
    const kill = { fault: "kill", pods: { deployment: "web", count: 2 } }
    const { json } = await begin(server, kill)
    expect(json).toMatchObject({ met: 2, began: json.ended, ended: "2026-01-01T00:00:30.000Z" })
    const { json: pods } = await server.request("GET", "/api/v1/pods")
    const stopping = pods.items.filter(
      ({ metadata }: { readonly metadata: object }) => "deletionTimestamp" in metadata
    )
    expect([stopping.length, await activeFaultIds(server)]).toEqual([2, []])
  })

  it("lets a fault of clients fail their writes, but never requests to end it", async () => {
    await using server = await withWeb()
    const { json } = await begin(server, { fault: "writesRefused", of: "clients", code: 500 })
    expect(json.met).toBe(0)
    const headers = { "content-type": "application/merge-patch+json" }
    const scale = (replicas: number) =>
      server.request("PATCH", `${deployments}/web`, { body: { spec: { replicas } }, headers })
    expect((await scale(5)).code).toBe(500)
    expect((await scale(6)).code).toBe(500)
    expect((await server.request("GET", faults)).json.items).toMatchObject([{ id: "fault-1", met: 2 }])
    expect((await server.request("DELETE", `${faults}/fault-1`)).json.met).toBe(2)
    expect((await scale(5)).code).toBe(200)
  })

  it("shares its faults with the library and with snapshots", async () => {
    await using server = await withWeb()
    await begin(server, lost)
    expect(server.cluster.faultInjector.active()).toMatchObject([{ id: "fault-1", fault: lost }])
    const { json } = await server.request("GET", "/charthouse/v1/snapshot")
    expect(JSON.stringify(json)).toContain('"id":"fault-1"')
  })

  it("accepts YAML", async () => {
    await using world = await withWeb()
    const headers = { "content-type": "application/yaml" }
    const body = "fault: nodeLost\nnode: node-2\nfor: 5m\n"
    expect((await world.request("POST", faults, { body, headers })).json.fault).toEqual(lost)
  })

  it.each([
    { why: "a list as the body", body: "[]", code: 400, says: /^fault \[…\]: a fault is a map of fields/ },
    { why: "broken JSON", body: "{", code: 400, says: /unexpected end of JSON input$/ },
    {
      why: "a misspelt fault",
      body: { fault: "nodeLos" },
      code: 400,
      says: /no such fault: did you mean nodeLost\?$/
    },
    {
      why: "an unknown fault",
      body: { fault: "earthquake" },
      code: 400,
      says: /no such fault: there are crash, fail/
    },
    {
      why: "several wrong fields, all told",
      body: { fault: "crash", pods: { deploymnt: "web" }, reason: "OOM" },
      code: 400,
      says: "fault crash: pods.deploymnt is not a field here; did you mean deployment?; reason must be one of Error, OOMKilled"
    },
    {
      why: "a duration without a unit",
      body: { ...lost, for: 300 },
      code: 400,
      says: 'fault nodeLost: for must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not 300'
    },
    {
      why: "a duplicate field",
      body: '{"fault":"nodeLost","node":"node-1","node":"node-2"}',
      code: 400,
      says: 'strict decoding error: duplicate field "node"'
    },
    {
      why: "a missing node",
      body: { fault: "nodeLost", node: "node-9" },
      code: 404,
      says: 'fault nodeLost: nodes "node-9" not found'
    },
    {
      why: "a missing Deployment",
      body: { fault: "crash", pods: { deployment: "api" } },
      code: 404,
      says: 'fault crash: deployments.apps "api" not found'
    },
    {
      why: "a missing namespace",
      body: { fault: "quotaExhausted", namespace: "shop" },
      code: 404,
      says: 'fault quotaExhausted: namespaces "shop" not found'
    },
    {
      why: "Pods of a revision without a workload",
      body: { fault: "crash", pods: { revision: "new" } },
      code: 400,
      says: /it needs pods\.deployment, statefulSet or daemonSet$/
    }
  ])("refuses $why, and affects no Pod", async ({ body, code, says }) => {
    await using server = await withWeb()
    const { json } = await begin(server, body)
    const reason = code === 404 ? "NotFound" : "BadRequest"
    expect(json).toMatchObject({ kind: "Status", status: "Failure", code, reason })
    expect(json.message).toMatch(says)
    await advance(server, "10s")
    const { json: web } = await server.request("GET", `${deployments}/web`)
    expect([await activeFaultIds(server), web.status.readyReplicas]).toEqual([[], 3])
  })

  it("answers 404 for a fault that has ended", async () => {
    await using server = await withWeb()
    await begin(server, lost)
    await advance(server, "5m")
    for (const method of ["GET", "DELETE"]) {
      const { code, json } = await server.request(method, `${faults}/fault-1`)
      expect([code, json.reason, json.details]).toEqual([
        404,
        "NotFound",
        { name: "fault-1", kind: "faults" }
      ])
      expect(json.message).toBe('no fault "fault-1" is active: it has ended or never began')
    }
  })

  it.each([
    { method: "PUT", path: faults, code: 405 },
    { method: "POST", path: `${faults}/fault-1`, code: 405 },
    { method: "GET", path: "/charthouse/v1/faultsome", code: 404 },
    { method: "POST", path: faults, type: "application/x-www-form-urlencoded", code: 415 }
  ])("answers $method $path with $code", async ({ method, path, type = "application/json", code }) => {
    await using world = await openTestServer()
    const headers = { "content-type": type }
    expect((await world.request(method, path, { body: JSON.stringify(lost), headers })).code).toBe(code)
  })

  it("answers 401 without the token", async () => {
    await using server = await openTestServer()
    const headers = { authorization: "Bearer wrong" }
    for (const method of ["GET", "POST", "DELETE"]) {
      const { code, json } = await server.request(method, faults, { body: lost, headers })
      expect([code, json.reason]).toEqual([401, "Unauthorized"])
    }
    expect(await activeFaultIds(server)).toEqual([])
  })
})
