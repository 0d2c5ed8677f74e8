import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../builders.ts"
import { openCluster } from "../../src/cluster/openCluster.ts"
import { aConfigMap } from "../server/apiObjects.ts"
import { withTestServer } from "../server/testServer.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { Json, TestServer } from "../server/testServer.ts"

const configMaps = "/api/v1/namespaces/kube-node-lease/configmaps"
const watching = (version?: string): string =>
  `${configMaps}?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt${version === undefined ? "" : `&resourceVersion=${version}`}`

const deployments = "/apis/apps/v1/namespaces/default/deployments"
const web = deploymentManifest({ replicas: 1 })

const begin = ({ cluster }: TestServer, fault: Fault) => Effect.runPromise(cluster.faultInjector.begin(fault))
const advance = ({ cluster }: TestServer, millis: number) => Effect.runPromise(cluster.advance(millis))
const create = ({ request }: TestServer, name: string) =>
  request("POST", configMaps, { body: aConfigMap(name, { key: "value" }) })
const list = async (
  { request }: TestServer,
  query = ""
): Promise<{ readonly names: ReadonlyArray<string>; readonly version: string }> => {
  const { json } = await request("GET", `${configMaps}${query}`)
  const names = json.items.map(({ metadata }: Json) => metadata.name)
  return {
    names: names.filter((name: string) => name !== "kube-root-ca.crt"),
    version: json.metadata.resourceVersion
  }
}
const changeLines = (lines: ReadonlyArray<Json>): ReadonlyArray<string> =>
  lines.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason ?? ""}`.trim())

describe("writes of clients", () => {
  const rows: ReadonlyArray<readonly [409 | 429 | 500 | 504, object, boolean]> = [
    [
      409,
      {
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
        details: { name: "a", kind: "configmaps" }
      },
      false
    ],
    [
      429,
      {
        reason: "TooManyRequests",
        message: "Too many requests, please try again later.",
        details: { retryAfterSeconds: 1 }
      },
      false
    ],
    [
      500,
      {
        reason: "InternalError",
        message: "Internal error occurred: etcdserver: leader changed",
        details: { causes: [{ message: "etcdserver: leader changed" }] }
      },
      false
    ],
    [
      504,
      {
        reason: "Timeout",
        message: "Timeout: request did not complete within requested timeout - context deadline exceeded"
      },
      true
    ]
  ]
  it.each(rows)("are refused with %i and the message of Kubernetes, `times` times", (code, status, isDone) =>
    withTestServer(async (world) => {
      if (code === 409) await create(world, "a")
      const put = () => world.request("PUT", `${configMaps}/a`, { body: aConfigMap("a", { key: "new" }) })
      await begin(world, { fault: "writesRefused", of: "clients", code, resource: "configmaps", times: 1 })
      const refused = code === 409 ? await put() : await create(world, "a")
      expect([refused.code, refused.json, refused.headers["retry-after"]]).toEqual([
        code,
        expect.objectContaining({ kind: "Status", status: "Failure", code, ...status }),
        code === 429 ? "1" : undefined
      ])
      expect((await list(world)).names).toEqual(isDone || code === 409 ? ["a"] : [])
      expect((await create(world, "b")).code).toBe(201)
    })
  )

  it("are told apart by verb: a PATCH is no update", () =>
    withTestServer(async (world) => {
      await create(world, "a")
      await begin(world, { fault: "writesRefused", of: "clients", code: 409, verb: "patch" })
      const patch = (type: string, query = "") =>
        world.request("PATCH", `${configMaps}/a${query}`, {
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { key: "new" } },
          headers: { "content-type": `application/${type}` }
        })
      const put = () => world.request("PUT", `${configMaps}/a`, { body: aConfigMap("a", { key: "newer" }) })
      const codes = [
        (await patch("merge-patch+json")).code,
        (await patch("apply-patch+yaml", "?fieldManager=me&force=true")).code,
        (await put()).code,
        (await world.request("DELETE", `${configMaps}/a`)).code
      ]
      expect(codes).toEqual([409, 409, 200, 200])
    }))

  it("of the scale subresource are patches and updates, and an eviction is a create", () =>
    withTestServer(async (world) => {
      await world.request("POST", deployments, { body: web })
      await advance(world, 60_000)
      const { json: pods } = await world.request("GET", "/api/v1/namespaces/default/pods")
      const [{ metadata: pod }] = pods.items
      const scale = `${deployments}/web/scale`
      const requests = {
        patch: () =>
          world.request("PATCH", scale, {
            body: { spec: { replicas: 2 } },
            headers: { "content-type": "application/merge-patch+json" }
          }),
        update: async () => world.request("PUT", scale, { body: (await world.request("GET", scale)).json }),
        create: () =>
          world.request("POST", `/api/v1/namespaces/default/pods/${pod.name}/eviction`, {
            body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod.name } }
          })
      }
      const met: Array<string> = []
      for (const verb of ["create", "update", "patch", "delete", "status"] as const) {
        for (const [sentVerb, send] of Object.entries(requests)) {
          const { end } = await begin(world, { fault: "writesRefused", of: "clients", code: 500, verb })
          if ((await send()).code === 500) met.push(`${verb} meets ${sentVerb}`)
          await Effect.runPromise(end)
          if (sentVerb === "create") await advance(world, 60_000)
        }
      }
      expect(met).toEqual(["create meets create", "update meets update", "patch meets patch"])
    }))

  it("that delete a collection are carried out whole when only the answer is lost", () =>
    withTestServer(async (world) => {
      for (const name of ["a", "b", "c"]) await create(world, name)
      const fault = { fault: "writesRefused", of: "clients", code: 504, times: 1 } as const
      await begin(world, fault)
      const { code } = await world.request(
        "DELETE",
        `${configMaps}?fieldSelector=metadata.name!=kube-root-ca.crt`
      )
      expect([code, (await list(world)).names]).toEqual([504, []])
    }))

  it("get no 409 for a create, and their own errors before the fault's", () =>
    withTestServer(async (world) => {
      await begin(world, { fault: "writesRefused", of: "clients", code: 409 })
      const missing = await world.request("PUT", `${configMaps}/none`, { body: aConfigMap("none", {}) })
      const unreadable = await world.request("PUT", `${configMaps}/a`, { body: "{" })
      const codes = [(await create(world, "a")).code, missing.code, unreadable.code]
      expect(codes).toEqual([201, 404, 400])
      expect((await world.request("DELETE", `${configMaps}/a`)).code).toBe(409)
      const odd = { fault: "writesRefused", of: "clients", code: 409, verb: "create" } as const
      await expect(begin(world, odd)).rejects.toThrow(
        "fault writesRefused: what a client creates is not refused with 409 Conflict: say update"
      )
    }))

  it("that are slow are answered after the delay on the cluster's clock", () =>
    withTestServer(async (world) => {
      await begin(world, { fault: "writesSlow", of: "clients", by: "20s" })
      let isAnswered = false
      const answer = create(world, "a").then((reply) => {
        isAnswered = true
        return reply.code
      })
      // The read is not slow: once it is answered, the write before it has reached the server.
      expect((await list(world)).names).toEqual([])
      await advance(world, 19_000)
      expect([isAnswered, (await list(world)).names]).toEqual([false, []])
      await advance(world, 1000)
      expect([await answer, (await list(world)).names]).toEqual([201, ["a"]])
    }))
})

const fromCache = "?resourceVersion=0"

describe("reads of clients", () => {
  it("from the cache are stale while the fault lasts, in lists, gets and tables, but exact reads and watches are not", () =>
    withTestServer(async (world) => {
      await create(world, "a")
      const { version } = await list(world)
      const { end } = await begin(world, { fault: "staleReads", of: "clients" })
      const stream = await world.watch(watching(version))
      const made = await create(world, "b")
      expect(changeLines(await stream.next(1))).toEqual(["ADDED b"])
      expect(await list(world, fromCache)).toEqual({ names: ["a"], version })
      expect((await world.request("GET", `${configMaps}/b${fromCache}`)).code).toBe(404)
      const table = await world.request("GET", `${configMaps}${fromCache}`, {
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
      })
      expect(table.json.rows.map(({ cells }: Json) => cells[0])).not.toContain("b")
      // A resourceVersion that the cache has not reached is answered with 504.
      const later = `?resourceVersion=${made.json.metadata.resourceVersion}`
      const exactly = await list(world, `${later}&resourceVersionMatch=Exact`)
      expect([(await world.request("GET", `${configMaps}/b${later}`)).code, exactly.names]).toEqual([
        504,
        ["a", "b"]
      ])
      expect((await list(world)).names).toEqual(["a", "b"])
      const live = await world.request("GET", `${configMaps}/b`)
      expect(live.json.metadata.resourceVersion).toBe(made.json.metadata.resourceVersion)
      // A watch from a stale list catches up; a watch from a newer version goes on.
      const late = await world.watch(watching(version))
      expect(changeLines(await late.next(1))).toEqual(["ADDED b"])
      const first = await world.watch(watching("0"))
      expect(changeLines(await first.next(2))).toEqual(["ADDED a", "ADDED b"])
      const ahead = await world.watch(watching(made.json.metadata.resourceVersion))
      expect(ahead.code).toBe(200)
      await Effect.runPromise(end)
      expect((await list(world, fromCache)).names).toEqual(["a", "b"])
      for (const it of [stream, late, first, ahead]) it.close()
    }))

  it("that bypass the cache let a client resolve a Conflict", () =>
    withTestServer(async (world) => {
      await create(world, "a")
      await begin(world, { fault: "staleReads", of: "clients" })
      await world.request("PUT", `${configMaps}/a`, { body: aConfigMap("a", { key: "other" }) })
      const write = async (query: string) => {
        const { json } = await world.request("GET", `${configMaps}/a${query}`)
        return (await world.request("PUT", `${configMaps}/a`, { body: { ...json, data: { key: "mine" } } }))
          .code
      }
      expect([await write(fromCache), await write("")]).toEqual([409, 200])
    }))

  it("are all stale with reads: all, also of scale, while writes act on the current objects", () =>
    withTestServer(async (world) => {
      await create(world, "a")
      const { version } = await list(world)
      const { end } = await begin(world, { fault: "staleReads", of: "clients", reads: "all" })
      await create(world, "b")
      await world.request("POST", deployments, { body: web })
      expect(await list(world)).toEqual({ names: ["a"], version })
      expect((await world.request("GET", `${configMaps}/b`)).code).toBe(404)
      expect((await world.request("GET", `${deployments}/web/scale`)).code).toBe(404)
      const first = await world.watch(watching())
      expect(changeLines(await first.next(2))).toEqual(["ADDED a", "ADDED b"])
      expect((await create(world, "b")).code).toBe(409)
      expect((await world.request("DELETE", `${configMaps}/b`)).code).toBe(200)
      await Effect.runPromise(end)
      expect((await list(world)).names).toEqual(["a"])
      await create(world, "c")
      expect((await list(world)).names).toEqual(["a", "c"])
      first.close()
    }))

  it.each([
    ["cached", fromCache],
    ["all", ""]
  ] as const)("are as late as the watches and never go back: %s", (reads, query) =>
    withTestServer(async (world) => {
      await create(world, "a")
      await begin(world, { fault: "watchLate", of: "clients", by: "30s", reads })
      const { version } = await list(world, query)
      const stream = await world.watch(watching(version))
      await create(world, "b")
      await advance(world, 29_000)
      expect([stream.lines, (await list(world, query)).names]).toEqual([[], ["a"]])
      await advance(world, 1000)
      expect(changeLines(await stream.next(1))).toEqual(["ADDED b"])
      expect((await list(world, query)).names).toEqual(["a", "b"])
      stream.close()
    })
  )

  it("may be ahead of watches, which do not repeat what was read", () =>
    withTestServer(async (world) => {
      await begin(world, { fault: "watchLate", of: "clients", by: "30s" })
      await create(world, "a")
      const { names, version } = await list(world)
      expect(names).toEqual(["a"])
      const resumed = await world.watch(watching(version))
      const anew = await world.watch(watching())
      await create(world, "b")
      await advance(world, 60_000)
      expect(changeLines(await resumed.next(1))).toEqual(["ADDED b"])
      expect(changeLines(await anew.next(2))).toEqual(["ADDED a", "ADDED b"])
      for (const it of [resumed, anew]) it.close()
    }))

  it.each([
    ["some", "clients", "reads must be one of cached, all"],
    [
      "all",
      "deployment",
      "reads is for clients alone: a controller reads only the cache that its watches fill"
    ]
  ])("are refused with reads: %s of %s", (reads, of, why) =>
    withTestServer(async (world) => {
      const fault = { fault: "staleReads", of, reads } as Fault
      await expect(begin(world, fault)).rejects.toThrow(`fault staleReads: ${why}`)
    })
  )
})

describe("watches of clients", () => {
  it("end when they are dropped, and a resumed watch misses nothing", () =>
    withTestServer(async (world) => {
      await create(world, "a")
      const { version } = await list(world)
      const stream = await world.watch(watching(version))
      await create(world, "b")
      const [last] = await stream.next(1)
      const { end } = await begin(world, { fault: "watchDropped", of: "clients" })
      await stream.ended
      await create(world, "c")
      const again = await world.watch(watching(last.object.metadata.resourceVersion))
      await again.ended
      expect([again.code, (await list(world)).names]).toEqual([200, ["a", "b", "c"]])
      await world.request("DELETE", `${configMaps}/c`)
      await Effect.runPromise(end)
      const resumed = await world.watch(watching(last.object.metadata.resourceVersion))
      expect(changeLines(await resumed.next(2))).toEqual(["ADDED c", "DELETED c"])
      resumed.close()
    }))

  it("send every event twice while they are repeated", () =>
    withTestServer(async (world) => {
      const { version } = await list(world)
      const stream = await world.watch(watching(version))
      const { end } = await begin(world, { fault: "watchRepeated", of: "clients" })
      await create(world, "a")
      await Effect.runPromise(end)
      await create(world, "b")
      expect(changeLines(await stream.next(3))).toEqual(["ADDED a", "ADDED a", "ADDED b"])
      stream.close()
    }))
})

describe("the library's own client", () => {
  it("is not hit by faults of clients", async () => {
    await using cluster = await openCluster({ seed: 1 })
    await cluster.fault({ fault: "writesRefused", of: "clients", code: 500 })
    await cluster.fault({ fault: "staleReads", of: "clients" })
    await cluster.create(aConfigMap("a", { key: "value" }))
    expect((await cluster.get({ resource: "configmaps", name: "a", namespace: "default" })).kind).toBe(
      "ConfigMap"
    )
  })

  it("begins and ends faults with promises", async () => {
    await using cluster = await openCluster({ seed: 1 })
    const fault = await cluster.fault({ fault: "controllerStopped", controller: "deployment", for: "1h" })
    await cluster.advance("5m")
    expect(fault.ended()).toBeUndefined()
    await fault.end()
    expect(fault.ended()).toEqual(cluster.now())
    await expect(cluster.fault({ fault: "nodeLost", node: "nowhere" })).rejects.toThrow(
      /^fault nodeLost: .*nowhere/
    )
  })
})
