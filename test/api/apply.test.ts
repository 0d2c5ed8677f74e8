import { stringify } from "yaml"
import { describe, expect, it } from "vitest"
import { aConfigMap, aDeployment, configMaps, deployments, patchType, told } from "./drafts.ts"
import { inWorld } from "./world.ts"
import type { Json, World } from "./world.ts"

const web = `${deployments}/web`

const apply = (
  { request }: World,
  manager: string,
  body: Json,
  { path = web, more = "" }: { readonly path?: string; readonly more?: string } = {}
) => request("PATCH", `${path}?fieldManager=${manager}${more}`, { body, headers: patchType.apply })

const owners = ({ metadata }: Json): ReadonlyArray<Json> => metadata.managedFields

const applied = (spec: object, metadata: object = {}): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", ...metadata },
  spec
})

describe("an apply", () => {
  it("creates what there is not, and is the owner of what it said, defaults being nobody's", () =>
    inWorld(async (world) => {
      const { code, json } = await apply(world, "ci", aDeployment())
      expect(code).toBe(201)
      expect(owners(json)).toEqual([
        {
          manager: "ci",
          operation: "Apply",
          apiVersion: "apps/v1",
          time: "2026-01-01T00:00:00Z",
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:spec": {
              "f:replicas": {},
              "f:selector": {},
              "f:template": {
                "f:metadata": { "f:labels": { "f:app": {} } },
                "f:spec": {
                  "f:containers": { 'k:{"name":"app"}': { ".": {}, "f:image": {}, "f:name": {} } }
                }
              }
            }
          }
        }
      ])
      expect(json.spec.revisionHistoryLimit).toBe(10)
      const again = await apply(world, "ci", aDeployment())
      expect([again.code, again.json.metadata.generation]).toEqual([200, 1])
    }))

  it("may be said in YAML", () =>
    inWorld(async (world) => {
      const { code, json } = await apply(world, "ci", stringify(aDeployment({ spec: { replicas: 7 } })))
      expect([code, json.spec.replicas]).toEqual([201, 7])
    }))

  it("takes away what it said before and says no more, and leaves what another said too", () =>
    inWorld(async (world) => {
      const path = `${configMaps}/a`
      await apply(world, "ci", aConfigMap("a", { one: "1", two: "2", three: "3" }), { path })
      await apply(world, "other", aConfigMap("a", { two: "2" }), { path })
      const { json } = await apply(world, "ci", aConfigMap("a", { three: "3" }), { path })
      expect(json.data).toEqual({ two: "2", three: "3" })
    }))

  it("of a field that it drops leaves the default", () =>
    inWorld(async (world) => {
      await apply(world, "ci", aDeployment({ spec: { minReadySeconds: 17, replicas: 7 } }))
      const { replicas: _replicas, ...spec } = aDeployment().spec
      const { json } = await apply(world, "ci", applied(spec))
      expect([json.spec.replicas, json.spec.minReadySeconds]).toEqual([1, undefined])
    }))

  it("is refused where it would change what another owns, and told whose it is", () =>
    inWorld(async (world) => {
      await world.request("POST", `${deployments}?fieldManager=maker`, { body: aDeployment() })
      const one = await apply(world, "ci", aDeployment({ spec: { replicas: 5 } }))
      expect(one.json).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: 'Apply failed with 1 conflict: conflict with "maker" using apps/v1: .spec.replicas',
        reason: "Conflict",
        details: {
          name: "web",
          group: "apps",
          kind: "deployments",
          causes: [
            {
              reason: "FieldManagerConflict",
              message: 'conflict with "maker" using apps/v1',
              field: ".spec.replicas"
            }
          ]
        },
        code: 409
      })
      const pod = { containers: [{ name: "app", image: "registry.example/app:v4" }] }
      const two = await apply(world, "ci", aDeployment({ spec: { replicas: 5 }, pod }))
      expect(two.json.message).toBe(
        [
          'Apply failed with 2 conflicts: conflicts with "maker" using apps/v1:',
          "- .spec.replicas",
          '- .spec.template.spec.containers[name="app"].image'
        ].join("\n")
      )
      expect((await world.request("GET", web)).json.spec.replicas).toBe(3)
    }))

  it("that is forced takes over what it changes", () =>
    inWorld(async (world) => {
      await world.request("POST", `${deployments}?fieldManager=maker`, { body: aDeployment() })
      const forced = await apply(world, "ci", aDeployment({ spec: { replicas: 5 } }), { more: "&force=true" })
      expect([forced.code, forced.json.spec.replicas]).toEqual([200, 5])
      const maker = owners(forced.json).find(({ manager }) => manager === "maker")
      expect(maker.fieldsV1["f:spec"]["f:replicas"]).toBeUndefined()
      expect(maker.fieldsV1["f:spec"]["f:selector"]).toEqual({})
    }))

  it("of the same value makes both its owners, each of whom may leave it to the other", () =>
    inWorld(async (world) => {
      const path = `${configMaps}/a`
      await apply(world, "one", aConfigMap("a", { key: "value" }), { path })
      const { code, json } = await apply(world, "two", aConfigMap("a", { key: "value" }), { path })
      expect([code, owners(json).map(({ manager }) => manager)]).toEqual([200, ["one", "two"]])
      const left = await apply(world, "one", aConfigMap("a", {}), { path })
      expect(left.json.data).toEqual({ key: "value" })
      const gone = await apply(world, "two", aConfigMap("a", {}), { path })
      expect(gone.json.data ?? {}).toEqual({})
    }))

  it("does not own a status, nor what else its way of writing cannot reach", () =>
    inWorld(async (world) => {
      const { json } = await apply(world, "ci", { ...aDeployment(), status: { replicas: 99 } })
      expect(json.status.replicas ?? 0).not.toBe(99)
      expect(JSON.stringify(owners(json))).not.toContain("f:status")
      const condition = { type: "Seen", status: "True", reason: "ByUs", message: "" }
      const status = {
        ...applied({ replicas: 7 }, { labels: { a: "b" } }),
        status: { conditions: [condition] }
      }
      const reply = await apply(world, "watcher", status, { path: `${web}/status` })
      expect(reply.code).toBe(200)
      expect(reply.json.spec.replicas).toBe(3)
      expect(reply.json.metadata.labels).toBeUndefined()
      const watcher = owners(reply.json).find(({ manager }) => manager === "watcher")
      expect(watcher.subresource).toBe("status")
      expect(Object.keys(watcher.fieldsV1)).toEqual(["f:status"])
    }))

  it("is only tried in a dry run", () =>
    inWorld(async (world) => {
      const { code, json } = await apply(world, "ci", aDeployment(), { more: "&dryRun=All" })
      expect([code, json.spec.replicas]).toEqual([201, 3])
      expect((await world.request("GET", web)).code).toBe(404)
    }))
})

describe("other writes", () => {
  it("own what they change, by the name they give or the one their program has", () =>
    inWorld(async (world) => {
      const kubectl = { "user-agent": "kubectl/v1.36.2 (linux/amd64) kubernetes/abc" }
      await world.request("POST", configMaps, { body: aConfigMap("a"), headers: kubectl })
      const body = { data: { other: "1" } }
      const path = `${configMaps}/a`
      await world.request("PATCH", `${path}?fieldManager=editor`, { body, headers: patchType.merge })
      const { json } = await world.request("GET", path)
      expect(owners(json).map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1])).toEqual([
        ["editor", "Update", { "f:data": { "f:other": {} } }],
        ["kubectl", "Update", { "f:data": { ".": {}, "f:key": {} } }]
      ])
    }))

  it("take a field from who had it when they change it, and leave it when they say the same", () =>
    inWorld(async (world) => {
      const path = `${configMaps}/a`
      await apply(world, "ci", aConfigMap("a", { one: "1", two: "2" }), { path })
      const body = { data: { one: "1", two: "new" } }
      await world.request("PATCH", `${path}?fieldManager=editor`, { body, headers: patchType.merge })
      const { json } = await world.request("GET", path)
      const [ci, editor] = owners(json)
      expect(Object.keys(ci.fieldsV1["f:data"])).toEqual(["f:one"])
      expect(editor.fieldsV1).toEqual({ "f:data": { "f:two": {} } })
    }))

  it("that change nothing leave the version and every time as they were", () =>
    inWorld(async (world) => {
      const { json: before } = await world.request("POST", configMaps, { body: aConfigMap("a") })
      await world.request("POST", deployments, { body: aDeployment() })
      const path = `${configMaps}/a`
      const patched = await world.request("PATCH", path, { body: { data: {} }, headers: patchType.merge })
      expect(patched.json).toEqual(before)
      expect((await world.request("PUT", path, { body: before })).json).toEqual(before)
    }))

  it("give all owners up where they write an empty one", () =>
    inWorld(async (world) => {
      const { json: made } = await world.request("POST", configMaps, { body: aConfigMap("a") })
      const body = { ...made, metadata: { ...made.metadata, managedFields: [{}] } }
      const { json } = await world.request("PUT", `${configMaps}/a`, { body })
      expect(json.metadata.managedFields).toBeUndefined()
    }))
})

describe("an apply is refused", () => {
  it.each([
    {
      query: "",
      body: aDeployment(),
      code: 422,
      message:
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      why: "that does not say who it is"
    },
    {
      query: `?fieldManager=${"m".repeat(129)}`,
      body: aDeployment(),
      code: 422,
      message:
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
      why: "whose name is too long"
    },
    {
      query: "?fieldManager=a%00b",
      body: aDeployment(),
      code: 422,
      message:
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\u0000b": should only contain printable characters',
      why: "whose name cannot be printed"
    },
    {
      query: "?fieldManager=ci",
      body: aDeployment({
        metadata: { managedFields: [{ manager: "x", operation: "Apply", apiVersion: "apps/v1" }] }
      }),
      code: 400,
      message: "metadata.managedFields must be nil",
      why: "that says who owns what"
    },
    {
      query: "?fieldManager=ci",
      body: aDeployment({ name: "shop" }),
      code: 400,
      message: "the name of the object (shop) does not match the name on the URL (web)",
      why: "of another object"
    },
    {
      query: "?fieldManager=ci",
      body: aDeployment({ spec: { replicas: -1 } }),
      code: 422,
      message:
        'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      why: "that would leave an invalid object"
    },
    {
      query: "?fieldManager=ci",
      body: "a: [",
      code: 400,
      message: expect.stringMatching(/^error converting YAML to JSON: yaml: |^error decoding YAML: /),
      why: "that cannot be read"
    }
  ])("$why", ({ query, body, code, message }) =>
    inWorld(async ({ request }) => {
      const reply = await request("PATCH", `${web}${query}`, { body, headers: patchType.apply })
      expect(told(reply)).toMatchObject({ code, message })
      expect((await request("GET", web)).code).toBe(404)
    })
  )

  it("of the status of what there is not", () =>
    inWorld(async (world) => {
      const reply = await apply(world, "ci", applied({}), { path: `${web}/status` })
      expect(told(reply)).toEqual({
        code: 404,
        reason: "NotFound",
        message: 'deployments.apps "web" not found'
      })
    }))

  it("of another object of the same name", () =>
    inWorld(async (world) => {
      await apply(world, "ci", aDeployment())
      const reply = await apply(world, "ci", aDeployment({ metadata: { uid: "uid-old" } }))
      expect(told(reply)).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'Deployment.apps "web" is invalid: metadata.uid: Invalid value: "uid-old": field is immutable'
      })
    }))

  it("with a field that its kind does not have", () =>
    inWorld(async (world) => {
      const { code, json } = await apply(world, "ci", aDeployment({ spec: { size: 7 } }))
      expect([code, json.reason, json.message]).toEqual([
        500,
        undefined,
        "failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.size: field not declared in schema"
      ])
    }))

  it("of two items of one key", () =>
    inWorld(async (world) => {
      const containers = [
        { name: "app", image: "a" },
        { name: "app", image: "b" }
      ]
      const { code, json } = await apply(world, "ci", aDeployment({ pod: { containers } }))
      expect(code).toBe(500)
      expect(json.message).toMatch(/^failed to create typed patch object \(.*; apps\/v1, Kind=Deployment\): /)
    }))
})
