import { stringify } from "yaml"
import { describe, expect, it } from "vitest"
import { aConfigMap, aDeployment, aPod, configMaps, deployments, pods, statusSummary } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { Json } from "../testServer.ts"

const namespaces = "/api/v1/namespaces"

describe("POST of a new object", () => {
  it("sets uid, creationTimestamp, generation and defaults, whatever the body says", () =>
    withTestServer(async ({ request }) => {
      const body = aDeployment({
        metadata: {
          uid: "uid-mine",
          creationTimestamp: "2001-01-01T00:00:00Z",
          deletionTimestamp: "2001-01-01T00:00:00Z",
          deletionGracePeriodSeconds: 7,
          generation: 17,
          selfLink: "/mine"
        }
      })
      const { code, json } = await request("POST", deployments, {
        body: { ...body, status: { replicas: 99 } }
      })
      expect(code).toBe(201)
      expect(json.metadata).toEqual({
        name: "web",
        namespace: "default",
        uid: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        resourceVersion: expect.stringMatching(/^\d+$/),
        generation: 1,
        creationTimestamp: "2026-01-01T00:00:00Z",
        managedFields: expect.any(Array)
      })
      expect(json.status).toEqual({})
      expect(json.spec).toMatchObject({
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } }
      })
    }))

  it("accepts a body without kind, apiVersion or namespace, and YAML", () =>
    withTestServer(async ({ request }) => {
      const { kind: _kind, apiVersion: _version, ...bare } = aDeployment()
      expect((await request("POST", deployments, { body: bare })).code).toBe(201)
      const { code, json } = await request("POST", configMaps, {
        body: stringify(aConfigMap("a", {}, { namespace: "default" })),
        headers: { "content-type": "application/yaml" }
      })
      expect([code, json.metadata.namespace]).toEqual([201, "default"])
    }))

  it("appends five characters to generateName when there is no name", () =>
    withTestServer(async ({ request }) => {
      const generateName = `${"w".repeat(70)}-`
      const body = { ...aConfigMap(""), metadata: { generateName } }
      const { json } = await request("POST", configMaps, { body })
      expect(json.metadata.name).toMatch(/^w{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/)
      expect(json.metadata.generateName).toBe(generateName)
      const named = await request("POST", configMaps, { body: aConfigMap("a", {}, { generateName: "b-" }) })
      expect(named.json.metadata).toMatchObject({ name: "a", generateName: "b-" })
    }))

  it("refuses a name that exists with a hint to the generated name, if there is a generateName", () =>
    withTestServer(async ({ request }) => {
      // A StatefulSet's Pods have both.
      const body = aConfigMap("db-0", {}, { generateName: "db-" })
      await request("POST", configMaps, { body })
      const { code, json } = await request("POST", configMaps, { body })
      expect([code, json.reason, json.details.retryAfterSeconds, json.message]).toEqual([
        409,
        "AlreadyExists",
        1,
        'configmaps "db-0" already exists, the server was not able to generate a unique name for the object'
      ])
    }))

  it("answers a dry run with the object without resourceVersion, and stores nothing", () =>
    withTestServer(async ({ request }) => {
      const { code, json } = await request("POST", `${deployments}?dryRun=All`, { body: aDeployment() })
      expect(code).toBe(201)
      expect(json.metadata.uid).toMatch(/./)
      expect(json.metadata.creationTimestamp).toBe("2026-01-01T00:00:00Z")
      expect(json.metadata.resourceVersion ?? "").toBe("")
      expect((await request("GET", `${deployments}/web`)).code).toBe(404)
    }))

  it("validates in a dry run too", () =>
    withTestServer(async ({ request }) => {
      const body = aDeployment({ spec: { replicas: -1 } })
      expect((await request("POST", `${deployments}?dryRun=All`, { body })).code).toBe(422)
    }))
})

describe("POST of a new object is refused", () => {
  it.each([
    {
      path: deployments,
      body: aDeployment(),
      code: 409,
      reason: "AlreadyExists",
      message: 'deployments.apps "web" already exists',
      details: { name: "web", group: "apps", kind: "deployments" },
      why: "when the name is taken"
    },
    {
      path: deployments,
      body: aDeployment({ metadata: { resourceVersion: "7" } }),
      code: 500,
      reason: undefined,
      message: "resourceVersion should not be set on objects to be created",
      details: undefined,
      why: "with a resourceVersion"
    },
    {
      path: "/api/v1/namespaces/nowhere/configmaps",
      body: aConfigMap("a"),
      code: 404,
      reason: "NotFound",
      message: 'namespaces "nowhere" not found',
      details: { name: "nowhere", kind: "namespaces" },
      why: "in a missing namespace"
    },
    {
      path: `${deployments}?dryRun=Some`,
      body: aDeployment({ name: "other" }),
      code: 422,
      reason: "Invalid",
      message:
        'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      details: expect.objectContaining({ kind: "CreateOptions" }),
      why: "with dryRun=Some"
    },
    {
      path: `${deployments}?fieldValidation=Loose`,
      body: aDeployment({ name: "other" }),
      code: 422,
      reason: "Invalid",
      message:
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Loose": supported values: "Ignore", "Strict", "Warn"',
      details: expect.objectContaining({ kind: "CreateOptions" }),
      why: "with fieldValidation=Loose"
    }
  ])("$why", ({ path, body, code, reason, message, details }) =>
    withTestServer(async ({ request }) => {
      await request("POST", deployments, { body: aDeployment() })
      const reply = await request("POST", path, { body })
      expect(statusSummary(reply)).toEqual({ code, reason, message })
      expect(reply.json.details).toEqual(details)
    })
  )

  it("in a terminating namespace, with cause NamespaceTerminating", () =>
    withTestServer(async ({ request }) => {
      const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", finalizers: ["a.b/c"] } }
      await request("POST", namespaces, { body: shop })
      await request("DELETE", `${namespaces}/shop`)
      const reply = await request("POST", `${namespaces}/shop/configmaps`, { body: aConfigMap("a") })
      expect(statusSummary(reply)).toEqual({
        code: 403,
        reason: "Forbidden",
        message:
          'configmaps "a" is forbidden: unable to create new content in namespace shop because it is being terminated'
      })
      expect(reply.json.details).toEqual({
        name: "a",
        kind: "configmaps",
        causes: [
          {
            reason: "NamespaceTerminating",
            message: "namespace shop is being terminated",
            field: "metadata.namespace"
          }
        ]
      })
    }))

  it("while an object of this name is being deleted", () =>
    withTestServer(async ({ request }) => {
      await request("POST", configMaps, { body: aConfigMap("a", {}, { finalizers: ["a.b/c"] }) })
      await request("DELETE", `${configMaps}/a`)
      expect(statusSummary(await request("POST", configMaps, { body: aConfigMap("a") }))).toEqual({
        code: 409,
        reason: "AlreadyExists",
        message: 'object is being deleted: configmaps "a" already exists'
      })
    }))
})

describe("an unknown field", () => {
  const body = aDeployment({ spec: { size: 7 }, metadata: { color: "red" } })

  it.each(["", "&fieldValidation=Warn"])("causes a warning and is dropped with query %o", (query) =>
    withTestServer(async ({ request }) => {
      const { code, json, headers } = await request("POST", `${deployments}?dryRun=All${query}`, { body })
      expect(code).toBe(201)
      expect(headers.warning?.split(", ").toSorted()).toEqual([
        String.raw`299 - "unknown field \"metadata.color\""`,
        String.raw`299 - "unknown field \"spec.size\""`
      ])
      expect([json.spec.size, json.metadata.color]).toEqual([undefined, undefined])
    })
  )

  it("is the only warning when the object is refused for another reason", () =>
    withTestServer(async ({ request }) => {
      const wrong = aDeployment({ name: "we.b", spec: { size: 7, replicas: -1 } })
      const { code, headers } = await request("POST", deployments, { body: wrong })
      expect([code, headers.warning]).toEqual([422, String.raw`299 - "unknown field \"spec.size\""`])
    }))

  it("is dropped silently with fieldValidation=Ignore", () =>
    withTestServer(async ({ request }) => {
      const { code, headers } = await request("POST", `${deployments}?fieldValidation=Ignore`, { body })
      expect([code, headers.warning]).toEqual([201, undefined])
    }))

  it("is an error with fieldValidation=Strict, together with duplicate fields", () =>
    withTestServer(async ({ request }) => {
      const twice = JSON.stringify(body).replace('"replicas":3', '"replicas":3,"replicas":5')
      const headers = { "content-type": "application/json" }
      const reply = await request("POST", `${deployments}?fieldValidation=Strict`, { body: twice, headers })
      expect(statusSummary(reply)).toEqual({
        code: 400,
        reason: "BadRequest",
        message: expect.stringMatching(
          /^Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: /
        )
      })
      for (const stray of [
        'unknown field "metadata.color"',
        'unknown field "spec.size"',
        'duplicate field "spec.replicas"'
      ]) {
        expect(reply.json.message).toContain(stray)
      }
      const warned = await request("POST", deployments, { body: twice, headers })
      expect(warned.headers.warning).toContain(String.raw`299 - "duplicate field \"spec.replicas\""`)
      expect(warned.json.spec.replicas).toBe(5)
    }))

  it("and a repeated YAML key: an error with Strict, else a warning that names the line", () =>
    withTestServer(async ({ request }) => {
      const text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: one\n  k: two\n"
      const headers = { "content-type": "application/yaml" }
      const refused = await request("POST", `${configMaps}?fieldValidation=Strict`, { body: text, headers })
      expect(statusSummary(refused)).toEqual({
        code: 400,
        reason: "BadRequest",
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 7: key "k" already set in map'
      })
      const warned = await request("POST", configMaps, { body: text, headers })
      expect(warned.headers.warning).toBe(String.raw`299 - "line 7: key \"k\" already set in map"`)
      expect(warned.json.data).toEqual({ k: "two" })
    }))
})

describe("a Binding", () => {
  const binding = (target: Json, metadata: Json = {}): Json => ({
    apiVersion: "v1",
    kind: "Binding",
    metadata: { name: "web-1", ...metadata },
    target
  })
  const path = `${pods}/web-1/binding`

  it("to pods/NAME/binding sets the node and PodScheduled once", () =>
    withTestServer(async ({ request }) => {
      const pod = { schedulerName: "mine" }
      await request("POST", pods, { body: aPod({ pod }) })
      const body = binding({ kind: "Node", name: "node-2" })
      const { code, json } = await request("POST", path, { body })
      expect([code, json]).toEqual([
        201,
        { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }
      ])
      const { json: bound } = await request("GET", `${pods}/web-1`)
      expect(bound.spec.nodeName).toBe("node-2")
      expect(bound.status.conditions).toContainEqual(
        expect.objectContaining({ type: "PodScheduled", status: "True" })
      )
      expect(statusSummary(await request("POST", path, { body }))).toEqual({
        code: 409,
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on pods/binding "web-1": pod web-1 is already assigned to node "node-2"'
      })
      expect((await request("POST", `${path}?dryRun=All`, { body })).code).toBe(409)
    }))

  it("to /bindings binds the Pod that it names, except in a dry run", () =>
    withTestServer(async ({ request }) => {
      await request("POST", pods, { body: aPod({ pod: { schedulerName: "mine" } }) })
      const body = binding({ kind: "Node", name: "node-2" })
      const bound = async (): Promise<unknown> => (await request("GET", `${pods}/web-1`)).json.spec.nodeName
      const bindings = "/api/v1/namespaces/default/bindings"
      for (const dry of [path, bindings]) {
        expect((await request("POST", `${dry}?dryRun=All`, { body })).code).toBe(201)
        expect(await bound()).toBeUndefined()
      }
      expect((await request("POST", bindings, { body })).code).toBe(201)
      expect(await bound()).toBe("node-2")
    }))

  it.each([
    {
      body: binding({ kind: "Pod", name: "x" }),
      code: 500,
      message: 'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
      why: "to a Pod as its target"
    },
    {
      body: binding({ kind: "Node" }),
      code: 500,
      message: "target.name: Required value",
      why: "without a target name"
    },
    {
      body: binding({ name: 7 }),
      code: 400,
      message:
        'Binding in version "v1" cannot be handled as a Binding: json: cannot unmarshal number into Go struct field ObjectReference.target.name of type string',
      why: "with a number as target name"
    },
    {
      body: binding({ name: "node-2" }, { name: "web-2" }),
      code: 400,
      message: "name in URL does not match name in Binding object",
      why: "with the name of another Pod"
    },
    {
      body: binding({ name: "node-2" }, { namespace: "shop" }),
      code: 400,
      message: "the namespace of the provided object does not match the namespace sent on the request",
      why: "with another namespace"
    },
    {
      body: binding({ name: "node-2" }, { uid: "uid-old" }),
      code: 409,
      message: expect.stringMatching(
        /^Operation cannot be fulfilled on pods "web-1": StorageError: invalid object, Code: 4, Key: \/registry\/pods\/default\/web-1, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: uid-old, UID in object meta: [-0-9a-f]{36}$/
      ),
      why: "with another uid"
    },
    {
      body: binding({ name: "node-2" }, { resourceVersion: "7" }),
      code: 409,
      message: expect.stringMatching(
        /AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: 7, ResourceVersion in object meta: \d+$/
      ),
      why: "with an old resourceVersion"
    }
  ])("is refused $why", ({ body, code, message }) =>
    withTestServer(async ({ request }) => {
      await request("POST", pods, { body: aPod({ pod: { schedulerName: "mine" } }) })
      const reply = await request("POST", path, { body })
      expect([reply.code, reply.json.message]).toEqual([code, message])
      expect((await request("GET", `${pods}/web-1`)).json.spec.nodeName).toBeUndefined()
    })
  )

  it("with uid, resourceVersion, labels and annotations checks the first two and copies the others", () =>
    withTestServer(async ({ request }) => {
      const pod = { schedulerName: "mine" }
      const { json: made } = await request("POST", pods, { body: aPod({ pod }) })
      const { uid, resourceVersion, labels = {} } = made.metadata
      const marks = { labels: { zone: "a" }, annotations: { "mine/score": "17" } }
      const body = binding({ name: "node-2" }, { uid, resourceVersion, ...marks })
      expect((await request("POST", path, { body })).code).toBe(201)
      const { json } = await request("GET", `${pods}/web-1`)
      expect([json.spec.nodeName, json.metadata.labels]).toEqual(["node-2", { ...labels, zone: "a" }])
      expect(json.metadata.annotations).toMatchObject({ "mine/score": "17" })
    }))

  it("for a missing Pod is refused with 404", () =>
    withTestServer(async ({ request }) => {
      const reply = await request("POST", path, { body: binding({ kind: "Node", name: "node-2" }) })
      expect(statusSummary(reply)).toMatchObject({ code: 404, message: 'pods "web-1" not found' })
    }))
})
