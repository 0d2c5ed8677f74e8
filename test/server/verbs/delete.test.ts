import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  aConfigMap,
  aDeployment,
  aPod,
  configMaps,
  deployments,
  namesIn,
  patchType,
  pods,
  replicaSets,
  statusSummary
} from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

const web = `${deployments}/web`
const withWeb = (check: (server: TestServer, made: Json) => Promise<void>): Promise<void> =>
  withTestServer(async (server) => {
    await server.request("POST", deployments, { body: aDeployment() })
    await Effect.runPromise(server.cluster.rollout("web"))
    await check(server, (await server.request("GET", web)).json)
  })
const settle = ({ cluster }: TestServer) => Effect.runPromise(cluster.settle())
const options = (more: object): Json => ({ kind: "DeleteOptions", apiVersion: "v1", ...more })

describe("DELETE of an object", () => {
  it("answers with a Status of name and uid when the object is gone at once", () =>
    withWeb(async ({ request }, made) => {
      const { code, json } = await request("DELETE", web)
      expect([code, json]).toEqual([
        200,
        {
          kind: "Status",
          apiVersion: "v1",
          metadata: {},
          status: "Success",
          details: { name: "web", group: "apps", kind: "deployments", uid: made.metadata.uid }
        }
      ])
      expect((await request("GET", web)).code).toBe(404)
    }))

  it.each([
    { path: pods, body: aPod({ pod: { schedulerName: "none" } }), kind: "Pod" },
    {
      path: "/api/v1/namespaces/default/services",
      body: {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web-1" },
        spec: { ports: [{ port: 80 }] }
      },
      kind: "Service"
    },
    {
      path: "/api/v1/namespaces/default/serviceaccounts",
      body: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "web-1" } },
      kind: "ServiceAccount"
    }
  ])("answers with the object for a $kind that is gone at once", ({ path, body, kind }) =>
    withTestServer(async ({ request }) => {
      await request("POST", path, { body })
      const { code, json } = await request("DELETE", `${path}/web-1`)
      expect([code, json.kind, json.metadata.name]).toEqual([200, kind, "web-1"])
      expect((await request("GET", `${path}/web-1`)).code).toBe(404)
    })
  )

  it("keeps the grace period of a running Pod, which later deletions may only shorten", () =>
    withWeb(async (server) => {
      const { json: list } = await server.request("GET", pods)
      const path = `${pods}/${list.items[0].metadata.name}`
      const { code, json } = await server.request("DELETE", path)
      expect(code).toBe(200)
      expect(json.metadata.deletionGracePeriodSeconds).toBe(30)
      const began = Date.parse(json.metadata.deletionTimestamp) - 30_000
      const sooner = await server.request("DELETE", path, { body: options({ gracePeriodSeconds: 17 }) })
      expect(sooner.json.metadata.deletionGracePeriodSeconds).toBe(17)
      expect(Date.parse(sooner.json.metadata.deletionTimestamp) - began).toBe(17_000)
      const later = await server.request("DELETE", `${path}?gracePeriodSeconds=60`)
      expect(later.json.metadata.deletionTimestamp).toBe(sooner.json.metadata.deletionTimestamp)
      const now = await server.request("DELETE", `${path}?gracePeriodSeconds=0`)
      expect(now.code).toBe(200)
      expect((await server.request("GET", path)).code).toBe(404)
    }))

  it("waits for finalizers, and removes the object with its last one", () =>
    withTestServer(async ({ request }) => {
      const path = `${configMaps}/a`
      await request("POST", configMaps, { body: aConfigMap("a", {}, { finalizers: ["a.b/c"] }) })
      const { code, json } = await request("DELETE", path)
      expect([code, json.kind]).toEqual([200, "ConfigMap"])
      expect(json.metadata).toMatchObject({
        deletionTimestamp: "2026-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 0
      })
      const more = { body: { metadata: { finalizers: ["a.b/c", "d.e/f"] } }, headers: patchType.merge }
      expect(statusSummary(await request("PATCH", path, more))).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"d.e/f"}'
      })
      const none = { body: { metadata: { finalizers: null } }, headers: patchType.merge }
      const last = await request("PATCH", path, none)
      expect([last.code, last.json.metadata.name]).toEqual([200, "a"])
      expect((await request("GET", path)).code).toBe(404)
    }))

  it("removes dependents in the background", () =>
    withWeb(async (server) => {
      await server.request("DELETE", web)
      await settle(server)
      for (const path of [replicaSets, pods]) expect(namesIn(await server.request("GET", path))).toEqual([])
    }))

  it.each([
    { body: options({ propagationPolicy: "Orphan" }), query: "" },
    { body: options({ orphanDependents: true }), query: "" },
    { body: undefined, query: "?propagationPolicy=Orphan" },
    { body: undefined, query: "?orphanDependents=true" }
  ])("leaves dependents without owner references with orphan policy: $body $query", ({ body, query }) =>
    withWeb(async (server) => {
      const { code, json } = await server.request("DELETE", `${web}${query}`, { body })
      expect([code, json.kind]).toEqual([200, "Deployment"])
      expect(json.metadata.finalizers).toEqual(["orphan"])
      await settle(server)
      expect((await server.request("GET", web)).code).toBe(404)
      const { json: left } = await server.request("GET", replicaSets)
      expect(left.items.map(({ metadata }: Json) => metadata.ownerReferences)).toEqual([undefined])
    })
  )

  it("with Foreground waits until all dependents are gone", () =>
    withWeb(async (server, made) => {
      const body = options({ propagationPolicy: "Foreground" })
      const { code, json } = await server.request("DELETE", web, { body })
      expect([code, json.metadata.finalizers]).toEqual([200, ["foregroundDeletion"]])
      expect(json.metadata.generation).toBe(made.metadata.generation + 1)
      await settle(server)
      expect((await server.request("GET", web)).code).toBe(404)
      expect(namesIn(await server.request("GET", replicaSets))).toEqual([])
    }))

  it("stores nothing in a dry run", () =>
    withWeb(async ({ request }) => {
      for (const reply of [
        await request("DELETE", `${web}?dryRun=All`),
        await request("DELETE", web, { body: options({ dryRun: ["All"] }) })
      ]) {
        expect([reply.code, reply.json.status]).toEqual([200, "Success"])
      }
      expect((await request("GET", web)).code).toBe(200)
    }))

  it("ignores the query when it has a body", () =>
    withTestServer(async ({ request }) => {
      await request("POST", configMaps, { body: aConfigMap("a") })
      const path = `${configMaps}/a?dryRun=All&propagationPolicy=Sideways`
      expect((await request("DELETE", path, { body: options({}) })).json.status).toBe("Success")
      expect((await request("GET", `${configMaps}/a`)).code).toBe(404)
    }))

  it("takes null options as unset", () =>
    withTestServer(async ({ request }) => {
      await request("POST", configMaps, { body: aConfigMap("a") })
      const fields = [
        "dryRun",
        "gracePeriodSeconds",
        "orphanDependents",
        "preconditions",
        "propagationPolicy"
      ]
      const body = options(Object.fromEntries(fields.map((field) => [field, null])))
      expect((await request("DELETE", `${configMaps}/a`, { body })).code).toBe(200)
      expect((await request("GET", `${configMaps}/a`)).code).toBe(404)
    }))

  it("accepts DeleteOptions in the apiVersion of the resource's group", () =>
    withWeb(async ({ request }) => {
      const body = { kind: "DeleteOptions", apiVersion: "apps/v1", propagationPolicy: "Background" }
      expect((await request("DELETE", web, { body })).code).toBe(200)
    }))

  it("answers 202 with orphanDependents=false while finalizers remain", () =>
    withTestServer(async ({ request }) => {
      await request("POST", configMaps, { body: aConfigMap("a", {}, { finalizers: ["a.b/c"] }) })
      const body = options({ orphanDependents: false })
      expect((await request("DELETE", `${configMaps}/a`, { body })).code).toBe(202)
    }))
})

describe("DELETE of an object is refused", () => {
  it("when uid or resourceVersion differs from its preconditions", () =>
    withWeb(async ({ request }, made) => {
      const { uid, resourceVersion } = made.metadata
      const conflict = (why: string): object => ({
        code: 409,
        reason: "Conflict",
        message: `Operation cannot be fulfilled on deployments.apps "web": ${why}`
      })
      const other = await request("DELETE", web, { body: options({ preconditions: { uid: "uid-old" } }) })
      expect(statusSummary(other)).toEqual(
        conflict(
          `the UID in the precondition (uid-old) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
        )
      )
      const old = await request("DELETE", web, { body: options({ preconditions: { resourceVersion: "1" } }) })
      expect(statusSummary(old)).toEqual(
        conflict(
          `the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`
        )
      )
      const inQuery = await request("DELETE", `${web}?uid=uid-old`)
      expect([inQuery.code, inQuery.json.reason]).toEqual([409, "Conflict"])
      const preconditions = options({ preconditions: { uid, resourceVersion } })
      expect((await request("DELETE", web, { body: preconditions })).code).toBe(200)
    }))

  it.each([
    {
      body: options({ propagationPolicy: "Sideways" }),
      code: 422,
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
      why: "with an unknown propagationPolicy"
    },
    {
      body: options({ propagationPolicy: "Orphan", orphanDependents: true }),
      code: 422,
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
      why: "with propagationPolicy and orphanDependents together"
    },
    {
      body: options({ dryRun: ["Some"] }),
      code: 422,
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      why: "with dryRun: Some"
    },
    {
      body: options({ propagationPolicy: "Sideways", orphanDependents: true, dryRun: ["Some"] }),
      code: 422,
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: [propagationPolicy: Invalid value: "Sideways": orphanDependents and deletionPropagation cannot be both set, propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil", dryRun: Unsupported value: ["Some"]: supported values: "All"]',
      why: "with all these mistakes, told together"
    },
    {
      body: { kind: "Pod", apiVersion: "v1" },
      code: 400,
      message:
        'no kind "Pod" is registered for version "v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
      why: "with a Pod as its body"
    },
    {
      body: { kind: "fixed" },
      code: 400,
      message:
        'no kind "fixed" is registered for version "meta.k8s.io/v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
      why: "with a body of unknown kind"
    },
    {
      body: { kind: 7 },
      code: 400,
      message:
        "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
      why: "with a number as kind"
    },
    {
      body: "{",
      code: 400,
      message: "couldn't get version/kind; json parse error: unexpected end of JSON input",
      why: "with a body that is not JSON"
    }
  ])("$why", ({ body, code, message }) =>
    withWeb(async ({ request }) => {
      const headers = { "content-type": "application/json" }
      const reply = await request("DELETE", web, { body, headers })
      expect([reply.code, reply.json.message]).toEqual([code, message])
      expect((await request("GET", web)).code).toBe(200)
    })
  )

  it.each([
    { stated: { gracePeriodSeconds: "7" }, found: "string into", field: "gracePeriodSeconds", type: "int64" },
    { stated: { dryRun: "All" }, found: "string into", field: "dryRun", type: "[]string" },
    { stated: { orphanDependents: 1 }, found: "number into", field: "orphanDependents", type: "bool" },
    {
      stated: { propagationPolicy: true },
      found: "bool into",
      field: "propagationPolicy",
      type: "v1.DeletionPropagation"
    },
    {
      stated: { preconditions: "x" },
      found: "string into",
      field: "preconditions",
      type: "v1.Preconditions"
    },
    {
      stated: { preconditions: { uid: 5 } },
      found: "number into",
      struct: "Preconditions",
      field: "preconditions.uid",
      type: "types.UID"
    }
  ])("with $field of the wrong type, for an object and for a collection", (row) =>
    withTestServer(async ({ request }) => {
      const { stated, found, struct = "DeleteOptions", field, type } = row
      await request("POST", configMaps, { body: aConfigMap("a") })
      for (const path of [`${configMaps}/a`, configMaps]) {
        expect(statusSummary(await request("DELETE", path, { body: options(stated) }))).toEqual({
          code: 400,
          reason: "BadRequest",
          message: `json: cannot unmarshal ${found} Go struct field ${struct}.${field} of type ${type}`
        })
      }
      expect((await request("GET", `${configMaps}/a`)).code).toBe(200)
    })
  )

  it.each(["default", "kube-system", "kube-public"])("for the namespace %s", (name) =>
    withTestServer(async ({ request }) => {
      expect(statusSummary(await request("DELETE", `/api/v1/namespaces/${name}`))).toEqual({
        code: 403,
        reason: "Forbidden",
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`
      })
    })
  )
})

describe("DELETE of a collection", () => {
  it("removes the selected objects and answers with their list", () =>
    withTestServer(async ({ request }) => {
      for (const name of ["a", "b", "c", "d"]) {
        await request("POST", configMaps, {
          body: aConfigMap(name, {}, { labels: { part: name < "c" ? "1" : "2" } })
        })
      }
      const path = `${configMaps}?labelSelector=part`
      expect(namesIn(await request("DELETE", `${path}%3D1&dryRun=All`))).toEqual(["a", "b"])
      const { code, json } = await request("DELETE", `${path}%3D1`)
      expect([code, json.kind, json.items.map(({ metadata }: Json) => metadata.name)]).toEqual([
        200,
        "ConfigMapList",
        ["a", "b"]
      ])
      expect(namesIn(await request("GET", path))).toEqual(["c", "d"])
      await request("DELETE", `${configMaps}?fieldSelector=metadata.name%3Dc`)
      expect(namesIn(await request("GET", path))).toEqual(["d"])
    }))

  it("checks preconditions for each object", () =>
    withTestServer(async ({ request }) => {
      await request("POST", configMaps, { body: aConfigMap("a") })
      const body = options({ preconditions: { uid: "uid-old" } })
      const { code, json } = await request("DELETE", `${configMaps}?fieldSelector=metadata.name%3Da`, {
        body
      })
      expect([code, json.reason]).toEqual([409, "Conflict"])
      expect((await request("GET", `${configMaps}/a`)).code).toBe(200)
    }))

  it("is not allowed for namespaces", () =>
    withTestServer(async ({ request }) => {
      expect((await request("DELETE", "/api/v1/namespaces")).code).toBe(405)
    }))
})

describe("DELETE of a namespace", () => {
  it("answers Terminating in a dry run, and the namespace stays Active", () =>
    withTestServer(async ({ request }) => {
      await request("POST", "/api/v1/namespaces", { body: { metadata: { name: "shop" } } })
      const { json } = await request("DELETE", "/api/v1/namespaces/shop?dryRun=All")
      expect(json.status).toEqual({ phase: "Terminating" })
      expect(json.metadata.deletionTimestamp).toMatch(/^2026-/)
      expect((await request("GET", "/api/v1/namespaces/shop")).json.status).toEqual({ phase: "Active" })
    }))

  it("answers Terminating, then removes the namespace and its objects", () =>
    withTestServer(async (server) => {
      const { request } = server
      const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }
      await request("POST", "/api/v1/namespaces", { body: shop })
      const inside = "/api/v1/namespaces/shop/configmaps"
      await request("POST", inside, { body: aConfigMap("a") })
      const { code, json } = await request("DELETE", "/api/v1/namespaces/shop")
      expect([code, json.kind, json.status.phase]).toEqual([200, "Namespace", "Terminating"])
      await settle(server)
      expect((await request("GET", "/api/v1/namespaces/shop")).code).toBe(404)
      expect(namesIn(await request("GET", inside))).toEqual([])
    }))
})
