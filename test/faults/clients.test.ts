import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openCluster } from "../../src/openCluster.ts"
import { aConfigMap } from "../api/drafts.ts"
import { inWorld } from "../api/world.ts"
import type { Fault } from "../../src/faults/fault.ts"
import type { Json, World } from "../api/world.ts"

const here = "/api/v1/namespaces/kube-node-lease/configmaps"
const watching = (version?: string): string =>
  `${here}?watch=1&fieldSelector=metadata.name!=kube-root-ca.crt${version === undefined ? "" : `&resourceVersion=${version}`}`

const begin = ({ cluster }: World, fault: Fault) => Effect.runPromise(cluster.faults.begin(fault))
const advance = ({ cluster }: World, millis: number) => Effect.runPromise(cluster.advance(millis))
const create = ({ request }: World, name: string) =>
  request("POST", here, { body: aConfigMap(name, { key: "value" }) })
const list = async ({
  request
}: World): Promise<{ readonly names: ReadonlyArray<string>; readonly version: string }> => {
  const { json } = await request("GET", here)
  const names = json.items.map(({ metadata }: Json) => metadata.name)
  return {
    names: names.filter((name: string) => name !== "kube-root-ca.crt"),
    version: json.metadata.resourceVersion
  }
}
const tale = (lines: ReadonlyArray<Json>): ReadonlyArray<string> =>
  lines.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason ?? ""}`.trim())

describe("a client's writes", () => {
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
  it.each(rows)("are refused with %i in the words of Kubernetes, as often as is said", (code, told, isDone) =>
    inWorld(async (world) => {
      await begin(world, { fault: "writesRefused", of: "clients", code, resource: "configmaps", times: 1 })
      const refused = await create(world, "a")
      expect([refused.code, refused.json, refused.headers["retry-after"]]).toEqual([
        code,
        expect.objectContaining({ kind: "Status", status: "Failure", code, ...told }),
        code === 429 ? "1" : undefined
      ])
      expect((await list(world)).names).toEqual(isDone ? ["a"] : [])
      expect((await create(world, "b")).code).toBe(201)
    })
  )

  it("are told apart by their verbs: a patch is no update", () =>
    inWorld(async (world) => {
      await create(world, "a")
      await begin(world, { fault: "writesRefused", of: "clients", code: 409, verb: "patch" })
      const patch = (type: string, query = "") =>
        world.request("PATCH", `${here}/a${query}`, {
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { key: "new" } },
          headers: { "content-type": `application/${type}` }
        })
      const put = () => world.request("PUT", `${here}/a`, { body: aConfigMap("a", { key: "newer" }) })
      const codes = [
        (await patch("merge-patch+json")).code,
        (await patch("apply-patch+yaml", "?fieldManager=me&force=true")).code,
        (await put()).code,
        (await world.request("DELETE", `${here}/a`)).code
      ]
      expect(codes).toEqual([409, 409, 200, 200])
    }))

  it("that are slow are answered when so much of the cluster's time has passed", () =>
    inWorld(async (world) => {
      await begin(world, { fault: "writesSlow", of: "clients", by: "20s" })
      let isAnswered = false
      const answer = create(world, "a").then((reply) => {
        isAnswered = true
        return reply.code
      })
      // A read is not slow; when it is answered the write before it has arrived.
      expect((await list(world)).names).toEqual([])
      await advance(world, 19_000)
      expect([isAnswered, (await list(world)).names]).toEqual([false, []])
      await advance(world, 1000)
      expect([await answer, (await list(world)).names]).toEqual([201, ["a"]])
    }))
})

describe("a client's reads", () => {
  it("are stale as long as the fault lasts, in lists, gets and tables, while its watches go on", () =>
    inWorld(async (world) => {
      await create(world, "a")
      const { version } = await list(world)
      const { end } = await begin(world, { fault: "staleReads", of: "clients" })
      const stream = await world.watch(watching(version))
      const made = await create(world, "b")
      expect(tale(await stream.next(1))).toEqual(["ADDED b"])
      const before = await list(world)
      expect(before).toEqual({ names: ["a"], version })
      expect((await world.request("GET", `${here}/b`)).code).toBe(404)
      const table = await world.request("GET", here, {
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }
      })
      expect(table.json.rows.map(({ cells }: Json) => cells[0])).not.toContain("b")
      // What was listed late is caught up with by whoever watches from there; and who has seen more may go on.
      const late = await world.watch(watching(before.version))
      expect(tale(await late.next(1))).toEqual(["ADDED b"])
      const first = await world.watch(watching())
      expect(tale(await first.next(2))).toEqual(["ADDED a", "ADDED b"])
      const ahead = await world.watch(watching(made.json.metadata.resourceVersion))
      expect(ahead.code).toBe(200)
      // Writes are judged by what is there.
      expect((await create(world, "b")).code).toBe(409)
      expect((await world.request("DELETE", `${here}/b`)).code).toBe(200)
      await Effect.runPromise(end)
      expect((await list(world)).names).toEqual(["a"])
      for (const it of [stream, late, first, ahead]) it.close()
    }))

  it("are as late as its watches, and never go back", () =>
    inWorld(async (world) => {
      await create(world, "a")
      await begin(world, { fault: "watchLate", of: "clients", by: "30s" })
      const { version } = await list(world)
      const stream = await world.watch(watching(version))
      await create(world, "b")
      await advance(world, 29_000)
      expect([stream.lines, (await list(world)).names]).toEqual([[], ["a"]])
      await advance(world, 1000)
      expect(tale(await stream.next(1))).toEqual(["ADDED b"])
      expect((await list(world)).names).toEqual(["a", "b"])
      stream.close()
    }))
})

describe("a client's watches", () => {
  it("end when they are dropped; who resumes misses nothing", () =>
    inWorld(async (world) => {
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
      await world.request("DELETE", `${here}/c`)
      await Effect.runPromise(end)
      const resumed = await world.watch(watching(last.object.metadata.resourceVersion))
      expect(tale(await resumed.next(2))).toEqual(["ADDED c", "DELETED c"])
      resumed.close()
    }))

  it("tell everything twice while they are repeated", () =>
    inWorld(async (world) => {
      const { version } = await list(world)
      const stream = await world.watch(watching(version))
      const { end } = await begin(world, { fault: "watchRepeated", of: "clients" })
      await create(world, "a")
      await Effect.runPromise(end)
      await create(world, "b")
      expect(tale(await stream.next(3))).toEqual(["ADDED a", "ADDED a", "ADDED b"])
      stream.close()
    }))
})

describe("the library", () => {
  it("is not met by what meets clients from outside", async () => {
    await using cluster = await openCluster({ seed: 1 })
    await cluster.fault({ fault: "writesRefused", of: "clients", code: 500 })
    await cluster.fault({ fault: "staleReads", of: "clients" })
    await cluster.create(aConfigMap("a", { key: "value" }))
    expect((await cluster.get({ resource: "configmaps", name: "a", namespace: "default" })).kind).toBe(
      "ConfigMap"
    )
  })

  it("begins and ends faults by promises", async () => {
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
