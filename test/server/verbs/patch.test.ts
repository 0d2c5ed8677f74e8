import { describe, expect, it } from "vitest"
import { aConfigMap, aDeployment, configMaps, deployments, patchType, statusSummary } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

const web = `${deployments}/web`
type Type = keyof typeof patchType

const patch = ({ request }: TestServer, type: Type, body: unknown, path = web) =>
  request("PATCH", path, { body, headers: patchType[type] })

const withWeb = (check: (server: TestServer) => Promise<void>): Promise<void> =>
  withTestServer(async (server) => {
    await server.request("POST", deployments, { body: aDeployment() })
    await check(server)
  })

const template = (containers: ReadonlyArray<object>): object => ({
  spec: { template: { spec: { containers } } }
})
const image = "registry.example/app:v4"

describe("PATCH", () => {
  it.each<{ readonly type: Type; readonly body: unknown }>([
    { type: "json", body: [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: image }] },
    { type: "merge", body: template([{ name: "app", image }]) },
    { type: "strategic", body: template([{ name: "app", image }]) }
  ])(
    "of type $type changes the given fields, raises the generation and answers with the object",
    ({ type, body }) =>
      withWeb(async (server) => {
        const { code, json } = await patch(server, type, body)
        expect(code).toBe(200)
        expect(json.spec.template.spec.containers).toMatchObject([{ name: "app", image }])
        expect(json.spec.replicas).toBe(3)
        expect(json.metadata.generation).toBe(2)
        expect((await server.request("GET", web)).json.spec).toEqual(json.spec)
      })
  )

  it.each([
    { stated: "2026-03-04T05:06:07.7Z", code: 200, stored: "2026-03-04T05:06:07Z" },
    { stated: "2026-03-04T05:06:07+02:00", code: 200, stored: "2026-03-04T03:06:07Z" },
    { stated: "2026-02-30T05:06:07Z", code: 422, stored: undefined }
  ])("with the time $stated stores $stored", ({ stated, code, stored }) =>
    withWeb(async (server) => {
      const condition = {
        type: "Odd",
        status: "True",
        reason: "Odd",
        message: "",
        lastTransitionTime: stated
      }
      const body = { status: { conditions: [condition] } }
      expect((await patch(server, "strategic", body, `${web}/status`)).code).toBe(code)
      const { status } = (await server.request("GET", web)).json
      const odd = (status.conditions ?? []).find(({ type }: Json) => type === "Odd")
      expect(odd?.lastTransitionTime).toBe(stored)
    })
  )

  it("replaces a list as merge patch, and merges into it as strategic merge patch", () =>
    withWeb(async (server) => {
      const body = template([{ name: "sidecar", image: "proxy:1" }])
      const merged = await patch(server, "strategic", body)
      const names = (json: Json) => json.spec.template.spec.containers.map(({ name }: Json) => name)
      expect(names(merged.json).toSorted()).toEqual(["app", "sidecar"])
      const replaced = await patch(server, "merge", body)
      expect(names(replaced.json)).toEqual(["sidecar"])
    }))

  it.each([
    { path: web, body: { kind: "Foo" } },
    { path: web, body: { apiVersion: "v9", kind: "" } },
    { path: `${web}/status`, body: { apiVersion: "v1", kind: "Pod" } }
  ])("as strategic merge patch keeps apiVersion and kind when the body states $body", ({ path, body }) =>
    withWeb(async (server) => {
      const labelled = { ...body, metadata: { annotations: { a: "b" } } }
      const { code, json } = await patch(server, "strategic", labelled, path)
      expect([code, json.apiVersion, json.kind]).toEqual([200, "apps/v1", "Deployment"])
      expect(json.metadata.annotations).toMatchObject({ a: "b" })
    })
  )

  it("sets the default when it removes replicas", () =>
    withWeb(async (server) => {
      for (const type of ["merge", "strategic"] as const) {
        await patch(server, type, { spec: { replicas: 7 } })
        expect((await patch(server, type, { spec: { replicas: null } })).json.spec.replicas).toBe(1)
      }
    }))

  it("that changes nothing keeps resourceVersion and generation", () =>
    withWeb(async (server) => {
      const { json: before } = await server.request("GET", web)
      for (const type of ["merge", "strategic"] as const) {
        const { code, json } = await patch(server, type, { spec: { replicas: 3 } })
        expect(code).toBe(200)
        expect(json.metadata.generation).toBe(before.metadata.generation)
      }
    }))

  it("with a resourceVersion needs that version, and without one never conflicts", () =>
    withWeb(async (server) => {
      const { json: old } = await server.request("GET", web)
      const { resourceVersion } = old.metadata
      await patch(server, "merge", { spec: { replicas: 5 } })
      const stale = await patch(server, "merge", { metadata: { resourceVersion }, spec: { replicas: 7 } })
      expect(stale.json).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message:
          'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
        reason: "Conflict",
        details: { name: "web", group: "apps", kind: "deployments" },
        code: 409
      })
      const all = await Promise.all(
        [2, 3, 5, 7, 11, 13].map((replicas) => patch(server, "merge", { spec: { replicas } }))
      )
      expect(all.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200, 200])
    }))

  it("with another uid is refused", () =>
    withWeb(async (server) => {
      for (const type of ["merge", "strategic"] as const) {
        const reply = await patch(server, type, { metadata: { uid: "uid-other", labels: { a: "b" } } })
        expect(statusSummary(reply)).toEqual({
          code: 422,
          reason: "Invalid",
          message:
            'Deployment.apps "web" is invalid: metadata.uid: Invalid value: "uid-other": field is immutable'
        })
        const both = await patch(server, type, { metadata: { uid: "uid-other", resourceVersion: "1" } })
        expect(statusSummary(both), "of a version that it never had").toMatchObject({
          code: 409,
          reason: "Conflict"
        })
      }
    }))

  it.each([
    {
      metadata: { name: "shop" },
      message: "the name of the object (shop) does not match the name on the URL (web)",
      why: "name"
    },
    {
      metadata: { namespace: "shop" },
      message: "the namespace of the provided object does not match the namespace sent on the request",
      why: "namespace"
    }
  ])("cannot change the $why", ({ metadata, message }) =>
    withWeb(async (server) => {
      const reply = await patch(server, "merge", { metadata })
      expect(statusSummary(reply)).toEqual({ code: 400, reason: "BadRequest", message })
    })
  )

  it("of a missing object answers 404", () =>
    withTestServer(async (server) => {
      for (const type of ["json", "merge", "strategic"] as const) {
        const reply = await patch(server, type, type === "json" ? [] : {})
        expect(statusSummary(reply)).toEqual({
          code: 404,
          reason: "NotFound",
          message: 'deployments.apps "web" not found'
        })
      }
    }))

  it("is refused when the resulting object is invalid", () =>
    withWeb(async (server) => {
      const negative = await patch(server, "merge", { spec: { replicas: -1 } })
      expect(statusSummary(negative)).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'
      })
      const selector = await patch(server, "strategic", {
        spec: { selector: { matchLabels: { tier: "a" } } }
      })
      expect(selector.json.details.causes).toContainEqual({
        reason: "FieldValueInvalid",
        message: 'Invalid value: {"matchLabels":{"app":"web","tier":"a"}}: field is immutable',
        field: "spec.selector"
      })
    }))

  it("to Recreate must remove rollingUpdate", () =>
    withWeb(async (server) => {
      const forgot = await patch(server, "merge", { spec: { strategy: { type: "Recreate" } } })
      expect(statusSummary(forgot)).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          "Deployment.apps \"web\" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"
      })
      const retained = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }
      expect((await patch(server, "strategic", retained)).json.spec.strategy).toEqual({ type: "Recreate" })
    }))
})

describe("a JSON patch", () => {
  const rejected = "the server rejected our request due to an error in our request"

  it.each([
    { op: { op: "test", path: "/spec/replicas", value: 7 }, why: "a failing test" },
    { op: { op: "remove", path: "/spec/nothing" }, why: "the removal of a missing field" },
    { op: { op: "replace", path: "/spec/nothing/there", value: 1 }, why: "a path without parent" }
  ])("is rejected as a whole for $why", ({ op }) =>
    withWeb(async (server) => {
      const reply = await patch(server, "json", [{ op: "replace", path: "/spec/replicas", value: 5 }, op])
      expect(statusSummary(reply)).toEqual({ code: 422, reason: "Invalid", message: rejected })
      expect((await server.request("GET", web)).json.spec.replicas).toBe(3)
    })
  )

  it.each([
    { body: '{"op":"add"}', why: "that is no list" },
    { body: "[", why: "that is no JSON" }
  ])("$why is refused with 400", ({ body }) =>
    withWeb(async (server) => {
      const { code, json } = await patch(server, "json", body)
      expect([code, json.reason]).toEqual([400, "BadRequest"])
    })
  )

  it("may have 10,000 operations, and is refused with 413 for more", () =>
    withWeb(async (server) => {
      const once = { op: "replace", path: "/spec/replicas", value: 5 }
      const many = Array.from({ length: 10_000 }, () => once)
      expect((await patch(server, "json", many)).json.spec.replicas).toBe(5)
      const { code, json } = await patch(server, "json", [...many, once])
      expect([code, json.reason]).toEqual([413, "RequestEntityTooLarge"])
      expect(json.message).toBe(
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
      )
    }))

  it("adds, moves, copies and tests", () =>
    withTestServer(async (server) => {
      await server.request("POST", configMaps, { body: aConfigMap("a", { one: "1", two: "2" }) })
      const operations = [
        { op: "test", path: "/data/one", value: "1" },
        { op: "add", path: "/metadata/annotations", value: {} },
        { op: "add", path: "/metadata/annotations/a~1b", value: "3" },
        { op: "copy", from: "/data/two", path: "/data/copy" },
        { op: "move", from: "/data/one", path: "/data/moved" }
      ]
      const { json } = await patch(server, "json", operations, `${configMaps}/a`)
      expect(json.data).toEqual({ two: "2", copy: "2", moved: "1" })
      expect(json.metadata.annotations).toEqual({ "a/b": "3" })
    }))
})

describe("a strategic merge patch", () => {
  const env = (items: ReadonlyArray<object>): object => template([{ name: "app", env: items }])
  const envOf = (json: Json): Json => json.spec.template.spec.containers[0].env

  it("obeys $patch: delete, $setElementOrder and $patch: replace", () =>
    withWeb(async (server) => {
      const all = [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
        { name: "C", value: "3" }
      ]
      expect(envOf((await patch(server, "strategic", env(all))).json)).toEqual(all)
      const deleted = await patch(server, "strategic", env([{ name: "B", $patch: "delete" }]))
      expect(envOf(deleted.json)).toEqual([all[0], all[2]])
      const ordered = template([
        {
          name: "app",
          "$setElementOrder/env": [{ name: "C" }, { name: "A" }],
          env: [{ name: "A", value: "9" }]
        }
      ])
      expect(envOf((await patch(server, "strategic", ordered)).json)).toEqual([
        { name: "C", value: "3" },
        { name: "A", value: "9" }
      ])
      const replaced = env([{ $patch: "replace" }, { name: "D", value: "4" }])
      expect(envOf((await patch(server, "strategic", replaced)).json)).toEqual([{ name: "D", value: "4" }])
    }))

  it("removes finalizers by $deleteFromPrimitiveList", () =>
    withTestServer(async (server) => {
      const finalizers = ["example.com/a", "example.com/b"]
      await server.request("POST", configMaps, { body: aConfigMap("a", {}, { finalizers }) })
      const body = { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }
      const { json } = await patch(server, "strategic", body, `${configMaps}/a`)
      expect(json.metadata.finalizers).toEqual(["example.com/b"])
    }))

  it("is refused for a list item without its merge key", () =>
    withWeb(async (server) => {
      const { code, json } = await patch(server, "strategic", template([{ image }]))
      expect(code).toBe(500)
      expect(json).toMatchObject({ message: /^map: .* does not contain declared merge key: name$/s })
      expect(json).not.toHaveProperty("reason")
    }))
})

describe("a patch is refused", () => {
  const accepted =
    "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"

  it.each(["application/json", "text/plain", "", "application/xml"])("with content type %o", (type) =>
    withWeb(async ({ request }) => {
      const reply = await request("PATCH", web, { body: {}, headers: { "content-type": type } })
      expect(statusSummary(reply)).toMatchObject({ code: 415, reason: "UnsupportedMediaType" })
      expect(reply.json.message).toContain(accepted)
    })
  )

  it.each<{ readonly type: Type; readonly body: string; readonly why: string }>([
    { type: "merge", body: "{", why: "that ends too early" },
    { type: "merge", body: "[]", why: "that is a list" },
    { type: "strategic", body: "7", why: "that is a number" }
  ])("$why", ({ type, body }) =>
    withWeb(async (server) => {
      const { code, json } = await patch(server, type, body)
      expect([code, json.reason]).toEqual([400, "BadRequest"])
    })
  )

  it("with a field of the wrong type", () =>
    withWeb(async (server) => {
      const invalid = (shown: string, why: string): object => {
        const message = `Invalid value: ${JSON.stringify(shown)}: ${why}`
        return {
          message: ` "" is invalid: patch: ${message}`,
          reason: "Invalid",
          details: { causes: [{ reason: "FieldValueInvalid", message, field: "patch" }] },
          code: 422
        }
      }
      const body = { spec: { replicas: "many" } }
      const merged = await patch(server, "merge", body)
      expect(merged.json.message).toMatch(/^ "" is invalid: patch: Invalid value: "\{.*\}": /)
      expect(merged.json.message).toMatch(
        /: json: cannot unmarshal string into Go struct field DeploymentSpec\.spec\.replicas of type int32$/
      )
      const strategic = await patch(server, "strategic", body)
      expect(strategic.json).toMatchObject(
        invalid("map[spec:map[replicas:many]]", "unrecognized type: int32")
      )
      const strict = { body: { spec: { size: 7 } }, headers: patchType.strategic }
      const refused = await server.request("PATCH", `${web}?fieldValidation=Strict`, strict)
      expect(refused.json).toMatchObject(
        invalid("map[spec:map[size:7]]", 'strict decoding error: unknown field "spec.size"')
      )
    }))

  it("with force, when it is not an apply", () =>
    withWeb(async ({ request }) => {
      const reply = await request("PATCH", `${web}?force=true`, { body: {}, headers: patchType.merge })
      expect(statusSummary(reply)).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch'
      })
    }))
})

describe("PATCH of /status", () => {
  it("changes the status only, which PATCH of the object does not change", () =>
    withWeb(async (server) => {
      const condition = { type: "Seen", status: "True", reason: "ByUs", message: "" }
      const body = { spec: { replicas: 11 }, status: { conditions: [condition] } }
      const { code, json } = await patch(server, "strategic", body, `${web}/status`)
      expect(code).toBe(200)
      expect(json.spec.replicas).toBe(3)
      expect(json.status.conditions).toContainEqual(expect.objectContaining({ type: "Seen" }))
      const main = await patch(server, "merge", { status: { replicas: 99 } })
      expect(main.json.status.replicas ?? 0).not.toBe(99)
    }))

  it("is refused when its counts contradict each other", () =>
    withWeb(async (server) => {
      const body = { status: { replicas: 1, availableReplicas: 5, readyReplicas: 2 } }
      const { code, json } = await patch(server, "merge", body, `${web}/status`)
      expect([code, json.reason]).toEqual([422, "Invalid"])
      const causes = json.details.causes.map(({ field, message }: Json) => `${field}: ${message}`)
      expect(causes).toContain(
        "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"
      )
      expect(causes).toContain(
        "status.availableReplicas: Invalid value: 5: cannot be greater than readyReplicas"
      )
    }))
})
