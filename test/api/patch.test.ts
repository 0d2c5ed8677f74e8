import { describe, expect, it } from "vitest"
import { aConfigMap, aDeployment, configMaps, deployments, patchType, told } from "./drafts.ts"
import { inWorld } from "./world.ts"
import type { Json, World } from "./world.ts"

const web = `${deployments}/web`
type Type = keyof typeof patchType

const patch = ({ request }: World, type: Type, body: unknown, path = web) =>
  request("PATCH", path, { body, headers: patchType[type] })

const withWeb = (story: (world: World) => Promise<void>): Promise<void> =>
  inWorld(async (world) => {
    await world.request("POST", deployments, { body: aDeployment() })
    await story(world)
  })

const template = (containers: ReadonlyArray<object>): object => ({
  spec: { template: { spec: { containers } } }
})
const image = "registry.example/app:v4"

describe("a patch", () => {
  it.each<{ readonly type: Type; readonly body: unknown }>([
    { type: "json", body: [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: image }] },
    { type: "merge", body: template([{ name: "app", image }]) },
    { type: "strategic", body: template([{ name: "app", image }]) }
  ])(
    "of type $type changes what it says, raises the generation and answers with the object",
    ({ type, body }) =>
      withWeb(async (world) => {
        const { code, json } = await patch(world, type, body)
        expect(code).toBe(200)
        expect(json.spec.template.spec.containers).toMatchObject([{ name: "app", image }])
        expect(json.spec.replicas).toBe(3)
        expect(json.metadata.generation).toBe(2)
        expect((await world.request("GET", web)).json.spec).toEqual(json.spec)
      })
  )

  it.each([
    { stated: "2026-03-04T05:06:07.7Z", code: 200, stored: "2026-03-04T05:06:07Z" },
    { stated: "2026-03-04T05:06:07+02:00", code: 200, stored: "2026-03-04T03:06:07Z" },
    { stated: "2026-02-30T05:06:07Z", code: 422, stored: undefined }
  ])("with the time $stated stores $stored", ({ stated, code, stored }) =>
    withWeb(async (world) => {
      const condition = {
        type: "Odd",
        status: "True",
        reason: "Odd",
        message: "",
        lastTransitionTime: stated
      }
      const body = { status: { conditions: [condition] } }
      expect((await patch(world, "strategic", body, `${web}/status`)).code).toBe(code)
      const { status } = (await world.request("GET", web)).json
      const odd = (status.conditions ?? []).find(({ type }: Json) => type === "Odd")
      expect(odd?.lastTransitionTime).toBe(stored)
    })
  )

  it("of a merge replaces a list, of a strategic merge goes into it", () =>
    withWeb(async (world) => {
      const body = template([{ name: "sidecar", image: "proxy:1" }])
      const merged = await patch(world, "strategic", body)
      const names = (json: Json) => json.spec.template.spec.containers.map(({ name }: Json) => name)
      expect(names(merged.json).toSorted()).toEqual(["app", "sidecar"])
      const replaced = await patch(world, "merge", body)
      expect(names(replaced.json)).toEqual(["sidecar"])
    }))

  it.each([
    { path: web, body: { kind: "Foo" } },
    { path: web, body: { apiVersion: "v9", kind: "" } },
    { path: `${web}/status`, body: { apiVersion: "v1", kind: "Pod" } }
  ])(
    "of a strategic merge leaves the object the Deployment that it is where it states $body",
    ({ path, body }) =>
      withWeb(async (world) => {
        const labelled = { ...body, metadata: { annotations: { a: "b" } } }
        const { code, json } = await patch(world, "strategic", labelled, path)
        expect([code, json.apiVersion, json.kind]).toEqual([200, "apps/v1", "Deployment"])
        expect(json.metadata.annotations).toMatchObject({ a: "b" })
      })
  )

  it("that takes the size away leaves the default", () =>
    withWeb(async (world) => {
      for (const type of ["merge", "strategic"] as const) {
        await patch(world, type, { spec: { replicas: 7 } })
        expect((await patch(world, type, { spec: { replicas: null } })).json.spec.replicas).toBe(1)
      }
    }))

  it("that changes nothing is no write: same version, same generation", () =>
    withWeb(async (world) => {
      const { json: before } = await world.request("GET", web)
      for (const type of ["merge", "strategic"] as const) {
        const { code, json } = await patch(world, type, { spec: { replicas: 3 } })
        expect(code).toBe(200)
        expect(json.metadata.generation).toBe(before.metadata.generation)
      }
    }))

  it("with a version is made of that version only, and without one of any", () =>
    withWeb(async (world) => {
      const { json: old } = await world.request("GET", web)
      const { resourceVersion } = old.metadata
      await patch(world, "merge", { spec: { replicas: 5 } })
      const stale = await patch(world, "merge", { metadata: { resourceVersion }, spec: { replicas: 7 } })
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
        [2, 3, 5, 7, 11, 13].map((replicas) => patch(world, "merge", { spec: { replicas } }))
      )
      expect(all.map(({ code }) => code)).toEqual([200, 200, 200, 200, 200, 200])
    }))

  it("of another object's identity is refused as invalid", () =>
    withWeb(async (world) => {
      for (const type of ["merge", "strategic"] as const) {
        const reply = await patch(world, type, { metadata: { uid: "uid-other", labels: { a: "b" } } })
        expect(told(reply)).toEqual({
          code: 422,
          reason: "Invalid",
          message:
            'Deployment.apps "web" is invalid: metadata.uid: Invalid value: "uid-other": field is immutable'
        })
        const both = await patch(world, type, { metadata: { uid: "uid-other", resourceVersion: "1" } })
        expect(told(both), "of a version that it never had").toMatchObject({ code: 409, reason: "Conflict" })
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
    withWeb(async (world) => {
      const reply = await patch(world, "merge", { metadata })
      expect(told(reply)).toEqual({ code: 400, reason: "BadRequest", message })
    })
  )

  it("of what is not there is not found, whatever it says", () =>
    inWorld(async (world) => {
      for (const type of ["json", "merge", "strategic"] as const) {
        const reply = await patch(world, type, type === "json" ? [] : {})
        expect(told(reply)).toEqual({
          code: 404,
          reason: "NotFound",
          message: 'deployments.apps "web" not found'
        })
      }
    }))

  it("is validated as what it makes of the object", () =>
    withWeb(async (world) => {
      const negative = await patch(world, "merge", { spec: { replicas: -1 } })
      expect(told(negative)).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0'
      })
      const selector = await patch(world, "strategic", { spec: { selector: { matchLabels: { tier: "a" } } } })
      expect(selector.json.details.causes).toContainEqual({
        reason: "FieldValueInvalid",
        message: 'Invalid value: {"matchLabels":{"app":"web","tier":"a"}}: field is immutable',
        field: "spec.selector"
      })
    }))

  it("to Recreate has to drop what belongs to rolling updates", () =>
    withWeb(async (world) => {
      const forgot = await patch(world, "merge", { spec: { strategy: { type: "Recreate" } } })
      expect(told(forgot)).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          "Deployment.apps \"web\" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"
      })
      const retained = { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }
      expect((await patch(world, "strategic", retained)).json.spec.strategy).toEqual({ type: "Recreate" })
    }))
})

describe("a JSON patch", () => {
  const rejected = "the server rejected our request due to an error in our request"

  it.each([
    { op: { op: "test", path: "/spec/replicas", value: 7 }, why: "a test that fails" },
    { op: { op: "remove", path: "/spec/nothing" }, why: "the removal of what is not there" },
    { op: { op: "replace", path: "/spec/nothing/there", value: 1 }, why: "a place that there is not" }
  ])("is rejected for $why, and nothing of it is done", ({ op }) =>
    withWeb(async (world) => {
      const reply = await patch(world, "json", [{ op: "replace", path: "/spec/replicas", value: 5 }, op])
      expect(told(reply)).toEqual({ code: 422, reason: "Invalid", message: rejected })
      expect((await world.request("GET", web)).json.spec.replicas).toBe(3)
    })
  )

  it.each([
    { body: '{"op":"add"}', why: "that is no list" },
    { body: "[", why: "that cannot be read" }
  ])("$why is a bad request", ({ body }) =>
    withWeb(async (world) => {
      const { code, json } = await patch(world, "json", body)
      expect([code, json.reason]).toEqual([400, "BadRequest"])
    })
  )

  it("of ten thousand operations is done, and of one more is too large", () =>
    withWeb(async (world) => {
      const once = { op: "replace", path: "/spec/replicas", value: 5 }
      const many = Array.from({ length: 10_000 }, () => once)
      expect((await patch(world, "json", many)).json.spec.replicas).toBe(5)
      const { code, json } = await patch(world, "json", [...many, once])
      expect([code, json.reason]).toEqual([413, "RequestEntityTooLarge"])
      expect(json.message).toBe(
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
      )
    }))

  it("adds, moves, copies and tests", () =>
    inWorld(async (world) => {
      await world.request("POST", configMaps, { body: aConfigMap("a", { one: "1", two: "2" }) })
      const operations = [
        { op: "test", path: "/data/one", value: "1" },
        { op: "add", path: "/metadata/annotations", value: {} },
        { op: "add", path: "/metadata/annotations/a~1b", value: "3" },
        { op: "copy", from: "/data/two", path: "/data/copy" },
        { op: "move", from: "/data/one", path: "/data/moved" }
      ]
      const { json } = await patch(world, "json", operations, `${configMaps}/a`)
      expect(json.data).toEqual({ two: "2", copy: "2", moved: "1" })
      expect(json.metadata.annotations).toEqual({ "a/b": "3" })
    }))
})

describe("a strategic merge patch", () => {
  const env = (items: ReadonlyArray<object>): object => template([{ name: "app", env: items }])
  const envOf = (json: Json): Json => json.spec.template.spec.containers[0].env

  it("follows its directives", () =>
    withWeb(async (world) => {
      const all = [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
        { name: "C", value: "3" }
      ]
      expect(envOf((await patch(world, "strategic", env(all))).json)).toEqual(all)
      const deleted = await patch(world, "strategic", env([{ name: "B", $patch: "delete" }]))
      expect(envOf(deleted.json)).toEqual([all[0], all[2]])
      const ordered = template([
        {
          name: "app",
          "$setElementOrder/env": [{ name: "C" }, { name: "A" }],
          env: [{ name: "A", value: "9" }]
        }
      ])
      expect(envOf((await patch(world, "strategic", ordered)).json)).toEqual([
        { name: "C", value: "3" },
        { name: "A", value: "9" }
      ])
      const replaced = env([{ $patch: "replace" }, { name: "D", value: "4" }])
      expect(envOf((await patch(world, "strategic", replaced)).json)).toEqual([{ name: "D", value: "4" }])
    }))

  it("takes single finalizers out of their list", () =>
    inWorld(async (world) => {
      const finalizers = ["example.com/a", "example.com/b"]
      await world.request("POST", configMaps, { body: aConfigMap("a", {}, { finalizers }) })
      const body = { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }
      const { json } = await patch(world, "strategic", body, `${configMaps}/a`)
      expect(json.metadata.finalizers).toEqual(["example.com/b"])
    }))

  it("cannot place an item that does not say which it is", () =>
    withWeb(async (world) => {
      const { code, json } = await patch(world, "strategic", template([{ image }]))
      expect(code).toBe(500)
      expect(json.message).toMatch(/does not contain declared merge key: name/)
    }))
})

describe("a patch is not understood", () => {
  const accepted =
    "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml"

  it.each(["application/json", "text/plain", "", "application/xml"])("of type %o", (type) =>
    withWeb(async ({ request }) => {
      const reply = await request("PATCH", web, { body: {}, headers: { "content-type": type } })
      expect(told(reply)).toMatchObject({ code: 415, reason: "UnsupportedMediaType" })
      expect(reply.json.message).toContain(accepted)
    })
  )

  it.each<{ readonly type: Type; readonly body: string; readonly why: string }>([
    { type: "merge", body: "{", why: "that ends too early" },
    { type: "merge", body: "[]", why: "that is a list and should be an object" },
    { type: "strategic", body: "7", why: "that is a number" }
  ])("$why", ({ type, body }) =>
    withWeb(async (world) => {
      const { code, json } = await patch(world, type, body)
      expect([code, json.reason]).toEqual([400, "BadRequest"])
    })
  )

  it("when it leaves a field of another type, and is told as the patch's own fault", () =>
    withWeb(async (world) => {
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
      const merged = await patch(world, "merge", body)
      expect(merged.json.message).toMatch(/^ "" is invalid: patch: Invalid value: "\{.*\}": /)
      expect(merged.json.message).toMatch(
        /: json: cannot unmarshal string into Go struct field DeploymentSpec\.spec\.replicas of type int32$/
      )
      const strategic = await patch(world, "strategic", body)
      expect(strategic.json).toMatchObject(
        invalid("map[spec:map[replicas:many]]", "unrecognized type: int32")
      )
      const strict = { body: { spec: { size: 7 } }, headers: patchType.strategic }
      const refused = await world.request("PATCH", `${web}?fieldValidation=Strict`, strict)
      expect(refused.json).toMatchObject(
        invalid("map[spec:map[size:7]]", 'strict decoding error: unknown field "spec.size"')
      )
    }))

  it("with options of another kind of patch", () =>
    withWeb(async ({ request }) => {
      const reply = await request("PATCH", `${web}?force=true`, { body: {}, headers: patchType.merge })
      expect(told(reply)).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch'
      })
    }))
})

describe("a patch of a status", () => {
  it("reaches the status and nothing of the spec", () =>
    withWeb(async (world) => {
      const condition = { type: "Seen", status: "True", reason: "ByUs", message: "" }
      const body = { spec: { replicas: 11 }, status: { conditions: [condition] } }
      const { code, json } = await patch(world, "strategic", body, `${web}/status`)
      expect(code).toBe(200)
      expect(json.spec.replicas).toBe(3)
      expect(json.status.conditions).toContainEqual(expect.objectContaining({ type: "Seen" }))
      const main = await patch(world, "merge", { status: { replicas: 99 } })
      expect(main.json.status.replicas ?? 0).not.toBe(99)
    }))

  it("may not make the counts contradict each other", () =>
    withWeb(async (world) => {
      const body = { status: { replicas: 1, availableReplicas: 5, readyReplicas: 2 } }
      const { code, json } = await patch(world, "merge", body, `${web}/status`)
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
