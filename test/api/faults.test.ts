import { describe, expect, it } from "vitest"
import { aManifest } from "../cluster/worlds.ts"
import { openWorld, type World } from "./world.ts"

const faults = "/charthouse/v1/faults"
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const lost = { fault: "nodeLost", node: "node-2", for: "5m" }
const cordoned = { fault: "nodeCordoned", node: "node-1" }

const begin = (world: World, fault: unknown) => world.request("POST", faults, { body: fault })
const advance = (world: World, by: string) => world.request("POST", `/charthouse/v1/clock/advance?by=${by}`)
const lasting = async (world: World): Promise<ReadonlyArray<string>> => {
  const { json } = await world.request("GET", faults)
  return json.items.map(({ id }: { readonly id: string }) => id)
}
const nodeOf = async (world: World, name: string) =>
  (await world.request("GET", `/api/v1/nodes/${name}`)).json
const readiness = async (world: World, name: string): Promise<string> => {
  const { status } = await nodeOf(world, name)
  return status.conditions.find(({ type }: { readonly type: string }) => type === "Ready").status
}

/** `web`, of three Pods, has rolled out half a minute after the cluster began. */
const withWeb = async (): Promise<World> => {
  const world = await openWorld({ behaviour: "steady" })
  await world.request("POST", deployments, { body: aManifest({ replicas: 3 }) })
  await advance(world, "30s")
  return world
}

describe("faults over HTTP", () => {
  it("begin at once, last as long as they say, and are told with their times meanwhile", async () => {
    await using world = await withWeb()
    const told = {
      id: "fault-1",
      fault: lost,
      began: "2026-01-01T00:00:30.000Z",
      ends: "2026-01-01T00:05:30.000Z"
    }
    const { code, json } = await begin(world, lost)
    expect([code, json]).toEqual([201, told])
    expect(await readiness(world, "node-2")).toBe("True")
    await advance(world, "2m")
    expect(await readiness(world, "node-2")).toBe("Unknown")
    const { json: list } = await world.request("GET", faults)
    expect(list).toEqual({ now: "2026-01-01T00:02:30.000Z", items: [told] })
    expect((await world.request("GET", `${faults}/fault-1`)).json).toEqual(told)
    await advance(world, "4m")
    expect([await lasting(world), await readiness(world, "node-2")]).toEqual([[], "True"])
  })

  it("are ended one by one, or all together", async () => {
    await using world = await withWeb()
    await begin(world, lost)
    await begin(world, cordoned)
    await begin(world, { fault: "quotaExhausted" })
    expect((await nodeOf(world, "node-1")).spec.unschedulable).toBe(true)
    const { code, json } = await world.request("DELETE", `${faults}/fault-2`)
    expect([code, json]).toMatchObject([
      200,
      { id: "fault-2", fault: cordoned, ended: "2026-01-01T00:00:30.000Z" }
    ])
    expect((await nodeOf(world, "node-1")).spec.unschedulable).toBeUndefined()
    const { json: rest } = await world.request("DELETE", faults)
    expect(rest.items.map(({ id }: { readonly id: string }) => id)).toEqual(["fault-1", "fault-3"])
    const { json: quotas } = await world.request("GET", "/api/v1/resourcequotas")
    expect([await lasting(world), quotas.items]).toEqual([[], []])
    expect((await world.request("DELETE", faults)).json.items).toEqual([])
  })

  it("that are deeds are over when they are answered, and say how many Pods they met", async () => {
    await using world = await withWeb()
    const kill = { fault: "kill", pods: { deployment: "web", count: 2 } }
    const { json } = await begin(world, kill)
    expect(json).toMatchObject({ met: 2, began: json.ended, ended: "2026-01-01T00:00:30.000Z" })
    const { json: pods } = await world.request("GET", "/api/v1/pods")
    const stopping = pods.items.filter(
      ({ metadata }: { readonly metadata: object }) => "deletionTimestamp" in metadata
    )
    expect([stopping.length, await lasting(world)]).toEqual([2, []])
  })

  it("meet clients, and never those who end them", async () => {
    await using world = await withWeb()
    const { json } = await begin(world, { fault: "writesRefused", of: "clients", code: 500 })
    expect(json.met).toBe(0)
    const headers = { "content-type": "application/merge-patch+json" }
    const scale = (replicas: number) =>
      world.request("PATCH", `${deployments}/web`, { body: { spec: { replicas } }, headers })
    expect((await scale(5)).code).toBe(500)
    expect((await scale(6)).code).toBe(500)
    expect((await world.request("GET", faults)).json.items).toMatchObject([{ id: "fault-1", met: 2 }])
    expect((await world.request("DELETE", `${faults}/fault-1`)).json.met).toBe(2)
    expect((await scale(5)).code).toBe(200)
  })

  it("are the cluster's own: a program finds them, and they go on with a snapshot", async () => {
    await using world = await withWeb()
    await begin(world, lost)
    expect(world.cluster.faults.active()).toMatchObject([{ id: "fault-1", fault: lost }])
    const { json } = await world.request("GET", "/charthouse/v1/snapshot")
    expect(JSON.stringify(json)).toContain('"id":"fault-1"')
  })

  it("are told in YAML too", async () => {
    await using world = await withWeb()
    const headers = { "content-type": "application/yaml" }
    const body = "fault: nodeLost\nnode: node-2\nfor: 5m\n"
    expect((await world.request("POST", faults, { body, headers })).json.fault).toEqual(lost)
  })

  it.each([
    { why: "no map of fields", body: "[]", code: 400, says: /^fault \[…\]: a fault is a map of fields/ },
    { why: "no JSON", body: "{", code: 400, says: /unexpected end of JSON input$/ },
    { why: "a slip", body: { fault: "nodeLos" }, code: 400, says: /no such fault: did you mean nodeLost\?$/ },
    {
      why: "none like it",
      body: { fault: "earthquake" },
      code: 400,
      says: /no such fault: there are crash, fail/
    },
    {
      why: "every field that is wrong is told",
      body: { fault: "crash", pods: { deploymnt: "web" }, reason: "OOM" },
      code: 400,
      says: "fault crash: pods.deploymnt is not a field here; did you mean deployment?; reason must be one of Error, OOMKilled"
    },
    {
      why: "a bare number has no unit, here as in a story",
      body: { ...lost, for: 300 },
      code: 400,
      says: 'fault nodeLost: for must be a duration with its unit, such as "250ms", "1.5s" or "1h30m", not 300'
    },
    {
      why: "which of them is meant?",
      body: '{"fault":"nodeLost","node":"node-1","node":"node-2"}',
      code: 400,
      says: 'strict decoding error: duplicate field "node"'
    },
    {
      why: "who is not there cannot be lost",
      body: { fault: "nodeLost", node: "node-9" },
      code: 404,
      says: 'fault nodeLost: nodes "node-9" not found'
    },
    {
      why: "nor can its Pods crash",
      body: { fault: "crash", pods: { deployment: "api" } },
      code: 404,
      says: 'fault crash: deployments.apps "api" not found'
    },
    {
      why: "nor can it be used up",
      body: { fault: "quotaExhausted", namespace: "shop" },
      code: 404,
      says: 'fault quotaExhausted: namespaces "shop" not found'
    },
    {
      why: "no mistake of a field, and no fault either",
      body: { fault: "crash", pods: { revision: "new" } },
      code: 400,
      says: /it needs pods\.deployment$/
    }
  ])("refuses what cannot be, and nothing is hurt: $why", async ({ body, code, says }) => {
    await using world = await withWeb()
    const { json } = await begin(world, body)
    const reason = code === 404 ? "NotFound" : "BadRequest"
    expect(json).toMatchObject({ kind: "Status", status: "Failure", code, reason })
    expect(json.message).toMatch(says)
    await advance(world, "10s")
    const { json: web } = await world.request("GET", `${deployments}/web`)
    expect([await lasting(world), web.status.readyReplicas]).toEqual([[], 3])
  })

  it("that are over are not found, and cannot be ended again", async () => {
    await using world = await withWeb()
    await begin(world, lost)
    await advance(world, "5m")
    for (const method of ["GET", "DELETE"]) {
      const { code, json } = await world.request(method, `${faults}/fault-1`)
      expect([code, json.reason, json.details]).toEqual([
        404,
        "NotFound",
        { name: "fault-1", kind: "faults" }
      ])
      expect(json.message).toBe('no fault "fault-1" lasts: it is over, or has never begun')
    }
  })

  it.each([
    { method: "PUT", path: faults, code: 405 },
    { method: "POST", path: `${faults}/fault-1`, code: 405 },
    { method: "GET", path: "/charthouse/v1/faultsome", code: 404 },
    { method: "POST", path: faults, type: "application/x-www-form-urlencoded", code: 415 }
  ])("answers $method $path with $code", async ({ method, path, type = "application/json", code }) => {
    await using world = await openWorld()
    const headers = { "content-type": type }
    expect((await world.request(method, path, { body: JSON.stringify(lost), headers })).code).toBe(code)
  })

  it("are for nobody without the token", async () => {
    await using world = await openWorld()
    const headers = { authorization: "Bearer wrong" }
    for (const method of ["GET", "POST", "DELETE"]) {
      const { code, json } = await world.request(method, faults, { body: lost, headers })
      expect([code, json.reason]).toEqual([401, "Unauthorized"])
    }
    expect(await lasting(world)).toEqual([])
  })
})
