import { stringify } from "yaml"
import { describe, expect, it } from "vitest"
import { aConfigMap, aDeployment, configMaps, deployments, patchType, statusSummary } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

const web = `${deployments}/web`

const apply = (
  { request }: TestServer,
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

describe("a server-side apply", () => {
  it("creates a missing object and records only the applied fields as owned, no defaults", () =>
    withTestServer(async (server) => {
      const { code, json } = await apply(server, "ci", aDeployment())
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
      const again = await apply(server, "ci", aDeployment())
      expect([again.code, again.json.metadata.generation]).toEqual([200, 1])
    }))

  it("owns zero values and empty lists, removes a list with one, and stores none of them", () =>
    withTestServer(async (server) => {
      const withPodSpec = (more: object): Json => {
        const { spec, ...others } = aDeployment()
        const { template } = spec
        return {
          ...others,
          spec: { ...spec, template: { ...template, spec: { ...template.spec, ...more } } }
        }
      }
      await apply(server, "ci", withPodSpec({ tolerations: [{ operator: "Exists" }] }))
      const zeros = withPodSpec({ tolerations: [], hostNetwork: false })
      const { json } = await apply(server, "ci", zeros)
      expect(json.spec.template.spec).not.toHaveProperty("tolerations")
      expect(json.spec.template.spec).not.toHaveProperty("hostNetwork")
      expect(owners(json)[0].fieldsV1["f:spec"]["f:template"]["f:spec"]).toMatchObject({
        "f:tolerations": {},
        "f:hostNetwork": {}
      })
      const { json: stored } = await server.request("GET", web)
      expect((await apply(server, "ci", zeros)).json).toEqual(stored)
    }))

  it("leaves a required list empty, not away, when its last element goes", () =>
    withTestServer(async (server) => {
      const path = "/apis/storage.k8s.io/v1/csinodes/worker"
      const csiNode = (drivers: ReadonlyArray<object>): Json => ({
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINode",
        metadata: { name: "worker" },
        spec: { drivers }
      })
      for (const drivers of [[], [{ name: "disk.example.com", nodeID: "a" }], [], []]) {
        const { json } = await apply(server, "csi", csiNode(drivers), { path })
        expect(json.spec).toEqual({ drivers })
      }
    }))

  it("accepts YAML", () =>
    withTestServer(async (server) => {
      const { code, json } = await apply(server, "ci", stringify(aDeployment({ spec: { replicas: 7 } })))
      expect([code, json.spec.replicas]).toEqual([201, 7])
    }))

  it("removes fields that the manager no longer applies and no other manager owns", () =>
    withTestServer(async (server) => {
      const path = `${configMaps}/a`
      await apply(server, "ci", aConfigMap("a", { one: "1", two: "2", three: "3" }), { path })
      await apply(server, "other", aConfigMap("a", { two: "2" }), { path })
      const { json } = await apply(server, "ci", aConfigMap("a", { three: "3" }), { path })
      expect(json.data).toEqual({ two: "2", three: "3" })
    }))

  it("sets the default for a field that the manager no longer applies", () =>
    withTestServer(async (server) => {
      await apply(server, "ci", aDeployment({ spec: { minReadySeconds: 17, replicas: 7 } }))
      const { replicas: _replicas, ...spec } = aDeployment().spec
      const { json } = await apply(server, "ci", applied(spec))
      expect([json.spec.replicas, json.spec.minReadySeconds]).toEqual([1, undefined])
    }))

  it("is refused with the owners' names where it would change fields of other managers", () =>
    withTestServer(async (server) => {
      await server.request("POST", `${deployments}?fieldManager=maker`, { body: aDeployment() })
      const one = await apply(server, "ci", aDeployment({ spec: { replicas: 5 } }))
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
      const two = await apply(server, "ci", aDeployment({ spec: { replicas: 5 }, pod }))
      expect(two.json.message).toBe(
        [
          'Apply failed with 2 conflicts: conflicts with "maker" using apps/v1:',
          "- .spec.replicas",
          '- .spec.template.spec.containers[name="app"].image'
        ].join("\n")
      )
      expect((await server.request("GET", web)).json.spec.replicas).toBe(3)
    }))

  it("takes over conflicting fields with force=true", () =>
    withTestServer(async (server) => {
      await server.request("POST", `${deployments}?fieldManager=maker`, { body: aDeployment() })
      const forced = await apply(server, "ci", aDeployment({ spec: { replicas: 5 } }), {
        more: "&force=true"
      })
      expect([forced.code, forced.json.spec.replicas]).toEqual([200, 5])
      const maker = owners(forced.json).find(({ manager }) => manager === "maker")
      expect(maker.fieldsV1["f:spec"]["f:replicas"]).toBeUndefined()
      expect(maker.fieldsV1["f:spec"]["f:selector"]).toEqual({})
    }))

  it("makes both managers owners of an equal value, which stays until both drop it", () =>
    withTestServer(async (server) => {
      const path = `${configMaps}/a`
      await apply(server, "one", aConfigMap("a", { key: "value" }), { path })
      const { code, json } = await apply(server, "two", aConfigMap("a", { key: "value" }), { path })
      expect([code, owners(json).map(({ manager }) => manager)]).toEqual([200, ["one", "two"]])
      const left = await apply(server, "one", aConfigMap("a", {}), { path })
      expect(left.json.data).toEqual({ key: "value" })
      const gone = await apply(server, "two", aConfigMap("a", {}), { path })
      expect(gone.json.data ?? {}).toEqual({})
    }))

  it("owns no status, and on /status nothing but the status", () =>
    withTestServer(async (server) => {
      const { json } = await apply(server, "ci", { ...aDeployment(), status: { replicas: 99 } })
      expect(json.status.replicas ?? 0).not.toBe(99)
      expect(JSON.stringify(owners(json))).not.toContain("f:status")
      const condition = { type: "Seen", status: "True", reason: "ByUs", message: "" }
      const status = {
        ...applied({ replicas: 7 }, { labels: { a: "b" } }),
        status: { conditions: [condition] }
      }
      const reply = await apply(server, "watcher", status, { path: `${web}/status` })
      expect(reply.code).toBe(200)
      expect(reply.json.spec.replicas).toBe(3)
      expect(reply.json.metadata.labels).toBeUndefined()
      const watcher = owners(reply.json).find(({ manager }) => manager === "watcher")
      expect(watcher.subresource).toBe("status")
      expect(Object.keys(watcher.fieldsV1)).toEqual(["f:status"])
    }))

  it("stores nothing in a dry run", () =>
    withTestServer(async (server) => {
      const { code, json } = await apply(server, "ci", aDeployment(), { more: "&dryRun=All" })
      expect([code, json.spec.replicas]).toEqual([201, 3])
      expect((await server.request("GET", web)).code).toBe(404)
    }))
})

describe("other writes", () => {
  it("own the fields they change, under fieldManager or the name in User-Agent", () =>
    withTestServer(async (server) => {
      const kubectl = { "user-agent": "kubectl/v1.36.2 (linux/amd64) kubernetes/abc" }
      await server.request("POST", configMaps, { body: aConfigMap("a"), headers: kubectl })
      const body = { data: { other: "1" } }
      const path = `${configMaps}/a`
      await server.request("PATCH", `${path}?fieldManager=editor`, { body, headers: patchType.merge })
      const { json } = await server.request("GET", path)
      expect(owners(json).map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1])).toEqual([
        ["editor", "Update", { "f:data": { "f:other": {} } }],
        ["kubectl", "Update", { "f:data": { ".": {}, "f:key": {} } }]
      ])
    }))

  it("take over only those fields whose values they change", () =>
    withTestServer(async (server) => {
      const path = `${configMaps}/a`
      await apply(server, "ci", aConfigMap("a", { one: "1", two: "2" }), { path })
      const body = { data: { one: "1", two: "new" } }
      await server.request("PATCH", `${path}?fieldManager=editor`, { body, headers: patchType.merge })
      const { json } = await server.request("GET", path)
      const [ci, editor] = owners(json)
      expect(Object.keys(ci.fieldsV1["f:data"])).toEqual(["f:one"])
      expect(editor.fieldsV1).toEqual({ "f:data": { "f:two": {} } })
    }))

  it("keep resourceVersion and all times when they change nothing", () =>
    withTestServer(async (server) => {
      const { json: before } = await server.request("POST", configMaps, { body: aConfigMap("a") })
      await server.request("POST", deployments, { body: aDeployment() })
      const path = `${configMaps}/a`
      const patched = await server.request("PATCH", path, { body: { data: {} }, headers: patchType.merge })
      expect(patched.json).toEqual(before)
      expect((await server.request("PUT", path, { body: before })).json).toEqual(before)
    }))

  it("remove all managedFields by writing one empty entry", () =>
    withTestServer(async (server) => {
      const { json: made } = await server.request("POST", configMaps, { body: aConfigMap("a") })
      const body = { ...made, metadata: { ...made.metadata, managedFields: [{}] } }
      const { json } = await server.request("PUT", `${configMaps}/a`, { body })
      expect(json.metadata.managedFields).toBeUndefined()
    }))
})

describe("a server-side apply is refused", () => {
  it.each([
    {
      query: "",
      body: aDeployment(),
      code: 422,
      message:
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      why: "without fieldManager"
    },
    {
      query: `?fieldManager=${"m".repeat(129)}`,
      body: aDeployment(),
      code: 422,
      message:
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
      why: "with a fieldManager longer than 128 bytes"
    },
    {
      query: "?fieldManager=a%00b",
      body: aDeployment(),
      code: 422,
      message:
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\x00b": should only contain printable characters',
      why: "with an unprintable fieldManager"
    },
    {
      query: "?fieldManager=ci",
      body: aDeployment({
        metadata: { managedFields: [{ manager: "x", operation: "Apply", apiVersion: "apps/v1" }] }
      }),
      code: 400,
      message: "metadata.managedFields must be nil",
      why: "with metadata.managedFields in its body"
    },
    {
      query: "?fieldManager=ci",
      body: aDeployment({ name: "shop" }),
      code: 400,
      message: "the name of the object (shop) does not match the name on the URL (web)",
      why: "with a name other than the one in the URL"
    },
    {
      query: "?fieldManager=ci",
      body: aDeployment({ spec: { replicas: -1 } }),
      code: 422,
      message:
        'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      why: "when the resulting object is invalid"
    },
    {
      query: "?fieldManager=ci",
      body: "a: [",
      code: 400,
      message: expect.stringMatching(/^error converting YAML to JSON: yaml: |^error decoding YAML: /),
      why: "with a body that is not YAML"
    }
  ])("$why", ({ query, body, code, message }) =>
    withTestServer(async ({ request }) => {
      const reply = await request("PATCH", `${web}${query}`, { body, headers: patchType.apply })
      expect(statusSummary(reply)).toMatchObject({ code, message })
      expect((await request("GET", web)).code).toBe(404)
    })
  )

  it("for the status of a missing object", () =>
    withTestServer(async (server) => {
      const reply = await apply(server, "ci", applied({}), { path: `${web}/status` })
      expect(statusSummary(reply)).toEqual({
        code: 404,
        reason: "NotFound",
        message: 'deployments.apps "web" not found'
      })
    }))

  it("with a uid when no object has the name", () =>
    withTestServer(async (server) => {
      const reply = await apply(server, "ci", aDeployment({ metadata: { uid: "uid-old" } }))
      expect(statusSummary(reply)).toMatchObject({ code: 409, reason: "Conflict" })
      expect(reply.json.message).toBe(
        'Operation cannot be fulfilled on deployments.apps "web": uid mismatch: the provided object specified uid uid-old, and no existing object was found'
      )
    }))

  it("with the uid of an earlier object of this name", () =>
    withTestServer(async (server) => {
      await apply(server, "ci", aDeployment())
      const reply = await apply(server, "ci", aDeployment({ metadata: { uid: "uid-old" } }))
      expect(statusSummary(reply)).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'Deployment.apps "web" is invalid: metadata.uid: Invalid value: "uid-old": field is immutable'
      })
    }))

  it("with a field that the schema does not declare", () =>
    withTestServer(async (server) => {
      const { code, json } = await apply(server, "ci", aDeployment({ spec: { size: 7 } }))
      expect([code, json.reason, json.message]).toEqual([
        500,
        undefined,
        "failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.size: field not declared in schema"
      ])
    }))

  it("with two list items of equal key", () =>
    withTestServer(async (server) => {
      const containers = [
        { name: "app", image: "a" },
        { name: "app", image: "b" }
      ]
      const { code, json } = await apply(server, "ci", aDeployment({ pod: { containers } }))
      expect(code).toBe(500)
      expect(json.message).toMatch(/^failed to create typed patch object \(.*; apps\/v1, Kind=Deployment\): /)
    }))
})
