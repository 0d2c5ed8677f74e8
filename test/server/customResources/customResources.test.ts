import { describe, expect, it } from "vitest"
import {
  cronTab,
  cronTabsPath,
  createDefinition,
  definition,
  definitionsPath,
  definitionWithTwoVersions
} from "./cronTabs.ts"
import { withTestServer, openTestServer, type TestServer } from "../testServer.ts"

const withDefinition = (check: (server: TestServer) => Promise<void>): Promise<void> =>
  withTestServer(async (server) => {
    await createDefinition(server)
    await check(server)
  })

const merge = { "content-type": "application/merge-patch+json" }

describe("a CustomResourceDefinition", () => {
  it("is Established at once, with singular and listKind filled in", () =>
    withTestServer(async ({ request }) => {
      const { code, json } = await request("POST", definitionsPath, { body: definition() })
      expect(code).toBe(201)
      expect(json.spec).toMatchObject({
        names: { singular: "crontab", listKind: "CronTabList" },
        conversion: { strategy: "None" }
      })
      expect(json.status).toMatchObject({
        conditions: [
          { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
          { type: "Established", status: "True", reason: "InitialNamesAccepted" }
        ],
        acceptedNames: { plural: "crontabs", singular: "crontab", kind: "CronTab", shortNames: ["ct"] },
        storedVersions: ["v1"]
      })
      const { json: discovered } = await request("GET", "/apis/stable.example.com/v1")
      expect(discovered.resources).toMatchObject([
        {
          name: "crontabs",
          singularName: "crontab",
          kind: "CronTab",
          shortNames: ["ct"],
          categories: ["all"]
        },
        { name: "crontabs/scale", kind: "Scale", group: "autoscaling" },
        { name: "crontabs/status", kind: "CronTab" }
      ])
      const { json: schema } = await request("GET", "/openapi/v3/apis/stable.example.com/v1")
      const described = schema.components.schemas["com.example.stable.v1.CronTab"]
      expect(described.properties.spec.properties.cronSpec.type).toBe("string")
    }))

  it.each([
    {
      why: "a name other than PLURAL.GROUP",
      body: { ...definition(), metadata: { name: "cron.stable.example.com" } },
      says: 'metadata.name: Invalid value: "cron.stable.example.com": must be spec.names.plural+"."+spec.group'
    },
    {
      why: "a version without a schema",
      body: definition({ version: { schema: undefined } }),
      says: "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"
    },
    {
      why: "a schema without a type at its root",
      body: definition({ version: { schema: { openAPIV3Schema: { properties: {} } } } }),
      says: "spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root"
    },
    {
      why: "an unknown type",
      body: definition({ version: { schema: { openAPIV3Schema: { type: "objekt" } } } }),
      says:
        'spec.versions[0].schema.openAPIV3Schema.type: Unsupported value: "objekt": supported values: "array", ' +
        '"boolean", "integer", "number", "object", "string"'
    },
    {
      why: "a default of the wrong type",
      body: definition({
        version: {
          schema: {
            openAPIV3Schema: { type: "object", properties: { size: { type: "integer", default: "big" } } }
          }
        }
      }),
      says:
        'spec.versions[0].schema.openAPIV3Schema.properties[size].default: Invalid value: "string":  in body must ' +
        'be of type integer: "string"'
    },
    {
      why: "no storage version",
      body: definition({ version: { storage: false } }),
      says: "must have exactly one version marked as storage version"
    },
    {
      why: "an unknown scope",
      body: definition({ spec: { scope: "Everywhere" } }),
      says: 'spec.scope: Unsupported value: "Everywhere": supported values: "Cluster", "Namespaced"'
    },
    {
      why: "a group of Kubernetes without approval",
      body: {
        ...definition({ spec: { group: "stable.k8s.io" } }),
        metadata: { name: "crontabs.stable.k8s.io" }
      },
      says: "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval"
    },
    {
      why: "a specReplicasPath outside spec",
      body: definition({
        version: {
          subresources: { scale: { specReplicasPath: ".size", statusReplicasPath: ".status.size" } }
        }
      }),
      says: 'specReplicasPath: Invalid value: ".size": should be a json path under .spec'
    }
  ])("is refused with Kubernetes' message for $why", ({ body, says }) =>
    withTestServer(async ({ request }) => {
      const { code, json } = await request("POST", definitionsPath, { body })
      expect(code).toBe(422)
      expect(json.message).toContain(says)
    })
  )

  it("keeps its scope", () =>
    withDefinition(async ({ request }) => {
      const path = `${definitionsPath}/crontabs.stable.example.com`
      const { code, json } = await request("PATCH", path, {
        body: { spec: { scope: "Cluster" } },
        headers: merge
      })
      expect({ code, message: json.message }).toEqual({
        code: 422,
        message:
          'CustomResourceDefinition.apiextensions.k8s.io "crontabs.stable.example.com" is invalid: spec.scope: ' +
          'Invalid value: "Cluster": field is immutable'
      })
    }))

  it("is not Established while another CRD of its group has its kind", () =>
    withDefinition(async ({ request }) => {
      const names = { plural: "tabs", kind: "CronTab" }
      const body = { ...definition({ spec: { names } }), metadata: { name: "tabs.stable.example.com" } }
      const { json } = await request("POST", definitionsPath, { body })
      expect(json.status.conditions).toMatchObject([
        { type: "NamesAccepted", status: "False", reason: "ListKindConflict" },
        { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
      ])
      expect(await request("GET", "/apis/stable.example.com/v1/tabs")).toMatchObject({ code: 404 })
    }))

  it("deletes its objects with it, and the watch sends DELETED", () =>
    withDefinition(async ({ request, watch }) => {
      await request("POST", cronTabsPath, { body: cronTab() })
      const watching = await watch(`${cronTabsPath}?watch=1`)
      const { json } = await request("DELETE", `${definitionsPath}/crontabs.stable.example.com`)
      expect(json.metadata).toMatchObject({ finalizers: ["customresourcecleanup.apiextensions.k8s.io"] })
      const [, gone] = await watching.next(2)
      expect(gone).toMatchObject({ type: "DELETED", object: { metadata: { name: "nightly" } } })
      watching.close()
      expect(await request("GET", cronTabsPath)).toMatchObject({ code: 404 })
      expect((await request("GET", definitionsPath)).json.items).toEqual([])
    }))

  it("is served only by its own cluster when a process has two", async () => {
    await using one = await openTestServer()
    await using other = await openTestServer()
    await createDefinition(one)
    expect(await one.request("GET", cronTabsPath)).toMatchObject({ code: 200 })
    expect(await other.request("GET", cronTabsPath)).toMatchObject({ code: 404 })
  })
})

describe("a custom object", () => {
  it("gets the schema's defaults, loses unknown fields, and increments its generation with spec", () =>
    withDefinition(async ({ request }) => {
      const steps = [{ name: "first" }]
      const body = cronTab({ steps, more: 1, free: { x: { y: 1 } }, note: null, image: null })
      const made = await request("POST", cronTabsPath, { body })
      expect(made).toMatchObject({ code: 201, headers: { warning: '299 - "unknown field \\"spec.more\\""' } })
      expect(made.json.spec).toEqual({
        cronSpec: "0 3 * * *",
        steps: [{ name: "first", retries: 1 }],
        free: { x: { y: 1 } },
        note: null,
        image: "cron",
        replicas: 3
      })
      expect(made.json.metadata.generation).toBe(1)
      const patch = async (change: object) =>
        (await request("PATCH", `${cronTabsPath}/nightly`, { body: change, headers: merge })).json.metadata
          .generation
      expect(await patch({ metadata: { labels: { a: "b" } } })).toBe(1)
      expect(await patch({ spec: { replicas: 4 } })).toBe(2)
    }))

  it("with an unknown field is refused with fieldValidation=Strict", () =>
    withDefinition(async ({ request }) => {
      const body = cronTab({ more: 1 })
      const { code, json } = await request("POST", `${cronTabsPath}?fieldValidation=Strict`, { body })
      expect({ code, message: json.message }).toEqual({
        code: 400,
        message:
          'CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: unknown field "spec.more"'
      })
    }))

  it("is shown in the columns of its CRD", () =>
    withDefinition(async ({ request }) => {
      await request("POST", cronTabsPath, { body: cronTab({ steps: [{ name: "first", retries: 7 }] }) })
      await request("POST", cronTabsPath, { body: cronTab({}, "weekly") })
      const accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
      const { json } = await request("GET", cronTabsPath, { headers: { accept } })
      expect(
        json.columnDefinitions.map((it: { name: string; priority: number }) => [it.name, it.priority])
      ).toEqual([
        ["Name", 0],
        ["Spec", 0],
        ["Replicas", 1],
        ["First", 0],
        ["Age", 0]
      ])
      expect(json.rows.map(({ cells }: { cells: Array<unknown> }) => cells)).toEqual([
        ["nightly", "0 3 * * *", 3, 7, "0s"],
        ["weekly", "0 3 * * *", 3, null, "0s"]
      ])
    }))

  it("is listed, watched, and patched with JSON and merge patches, not strategic ones", () =>
    withDefinition(async ({ request, watch }) => {
      const watching = await watch(`${cronTabsPath}?watch=1`)
      await request("POST", cronTabsPath, { body: cronTab() })
      const { json: list } = await request("GET", "/apis/stable.example.com/v1/crontabs")
      expect(list).toMatchObject({
        kind: "CronTabList",
        items: [{ kind: "CronTab", apiVersion: "stable.example.com/v1" }]
      })
      const patch = (type: string, body: unknown, query = "") =>
        request("PATCH", `${cronTabsPath}/nightly${query}`, { body, headers: { "content-type": type } })
      const operations = [{ op: "replace", path: "/spec/replicas", value: 5 }]
      expect(await patch("application/json-patch+json", operations)).toMatchObject({
        code: 200,
        json: { spec: { replicas: 5 } }
      })
      const change = { spec: { replicas: 6 } }
      expect(await patch("application/merge-patch+json", change)).toMatchObject({
        json: { spec: { replicas: 6 } }
      })
      expect(await patch("application/strategic-merge-patch+json", change)).toMatchObject({ code: 415 })
      const types = (await watching.next(3)).map(({ type, object }) => [type, object.spec.replicas])
      expect(types).toEqual([
        ["ADDED", 3],
        ["MODIFIED", 5],
        ["MODIFIED", 6]
      ])
      watching.close()
    }))

  it("is applied by two managers that own different items of a keyed list", () =>
    withDefinition(async ({ request }) => {
      const apply = (manager: string, name: string) =>
        request("PATCH", `${cronTabsPath}/nightly?fieldManager=${manager}`, {
          body: cronTab({ steps: [{ name }] }),
          headers: { "content-type": "application/apply-patch+yaml" }
        })
      expect(await apply("one", "first")).toMatchObject({ code: 201 })
      const { json } = await apply("other", "second")
      expect(json.spec.steps.map(({ name }: { name: string }) => name)).toEqual(["first", "second"])
      const again = await apply("one", "third")
      expect(again.json.spec.steps.map(({ name }: { name: string }) => name).toSorted()).toEqual([
        "second",
        "third"
      ])
    }))

  it("has the subresources status and scale", () =>
    withDefinition(async ({ request }) => {
      const body = { ...cronTab(), status: { replicas: 9 } }
      expect((await request("POST", cronTabsPath, { body })).json.status).toBeUndefined()
      const status = { replicas: 2, labelSelector: "app=cron" }
      const patched = await request("PATCH", `${cronTabsPath}/nightly/status`, {
        body: { metadata: { labels: { a: "b" } }, spec: { replicas: 8 }, status },
        headers: merge
      })
      expect(patched.json).toMatchObject({ spec: { replicas: 3 }, status, metadata: { generation: 1 } })
      expect(patched.json.metadata.labels).toBeUndefined()
      const sized = await request("PATCH", `${cronTabsPath}/nightly/scale`, {
        body: { spec: { replicas: 5 } },
        headers: merge
      })
      expect(sized.json).toMatchObject({
        kind: "Scale",
        spec: { replicas: 5 },
        status: { replicas: 2, selector: "app=cron" }
      })
      expect((await request("GET", `${cronTabsPath}/nightly`)).json.spec.replicas).toBe(5)
    }))

  it("is served in every version, with the fields of that version", () =>
    withTestServer(async (server) => {
      await createDefinition(server, definitionWithTwoVersions())
      const old = cronTabsPath.replace("/v1/", "/v1beta1/")
      const body = { ...cronTab({}, "old"), apiVersion: "stable.example.com/v1beta1" }
      const { json: made, headers } = await server.request("POST", old, { body })
      expect(headers.warning).toBe('299 - "stable.example.com/v1beta1 CronTab is deprecated"')
      expect(made).toMatchObject({
        apiVersion: "stable.example.com/v1beta1",
        spec: { cronSpec: "0 3 * * *" }
      })
      expect(made.spec.replicas).toBeUndefined()
      const { json: present } = await server.request("GET", `${cronTabsPath}/old`)
      expect(present).toMatchObject({ apiVersion: "stable.example.com/v1", spec: { replicas: 3 } })
      const { json: groups } = await server.request("GET", "/apis/stable.example.com")
      expect(groups.versions.map(({ version }: { version: string }) => version)).toEqual(["v1", "v1beta1"])
    }))

  it("is deleted with its namespace, and deletes its dependents", () =>
    withDefinition(async ({ request, cluster }) => {
      await request("POST", "/api/v1/namespaces", { body: { metadata: { name: "short-lived" } } })
      const inside = cronTabsPath.replace("/default/", "/short-lived/")
      await request("POST", inside, { body: cronTab() })
      const { json: owner } = await request("POST", cronTabsPath, { body: cronTab({}, "owner") })
      const { apiVersion, kind } = owner
      const { name, uid } = owner.metadata
      const ownerReferences = [{ apiVersion, kind, name, uid }]
      const owned = { metadata: { name: "owned", ownerReferences } }
      await request("POST", "/api/v1/namespaces/default/configmaps", { body: owned })
      await request("DELETE", "/api/v1/namespaces/short-lived")
      await request("DELETE", `${cronTabsPath}/owner`)
      expect(cluster.view.get("configmaps", "default/owned")).toBeUndefined()
      expect(await request("GET", "/api/v1/namespaces/short-lived")).toMatchObject({ code: 404 })
      expect((await request("GET", "/apis/stable.example.com/v1/crontabs")).json.items).toEqual([])
    }))
})
