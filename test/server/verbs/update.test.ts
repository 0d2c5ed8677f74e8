import { describe, expect, it } from "vitest"
import {
  aConfigMap,
  aDeployment,
  aPod,
  aReplicaSet,
  configMaps,
  deployments,
  patchType,
  pods,
  replicaSets,
  statusSummary
} from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { Json, Reply, TestServer } from "../testServer.ts"

const web = `${deployments}/web`
const withWeb = (check: (server: TestServer, made: Json) => Promise<void>): Promise<void> =>
  withTestServer(async (server) => {
    await server.request("POST", deployments, { body: aDeployment() })
    await check(server, (await server.request("GET", web)).json)
  })
const put = ({ request }: TestServer, body: Json, path = web) => request("PUT", path, { body })

const modified =
  'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again'

describe("PUT", () => {
  it("succeeds with the current resourceVersion, and conflicts with an old one", () =>
    withWeb(async (server, made) => {
      const body = { ...made, spec: { ...made.spec, replicas: 5 } }
      const { code, json } = await put(server, body)
      expect([code, json.spec.replicas, json.metadata.generation]).toEqual([200, 5, 2])
      const stale = await put(server, { ...made, spec: { ...made.spec, replicas: 7 } })
      expect(statusSummary(stale)).toEqual({ code: 409, reason: "Conflict", message: modified })
      expect(stale.json.details).toEqual({ name: "web", group: "apps", kind: "deployments" })
    }))

  it.each([undefined, "", "0"])("needs no resourceVersion: %o", (resourceVersion) =>
    withWeb(async (server, made) => {
      const body = {
        ...made,
        metadata: { name: "web", resourceVersion },
        spec: { ...made.spec, replicas: 5 }
      }
      expect((await put(server, body)).json.spec.replicas).toBe(5)
    })
  )

  it.each(["abc", "-1", "1.5"])("fails with a resourceVersion that is no number: %s", (resourceVersion) =>
    withWeb(async (server, made) => {
      const reply = await put(server, { ...made, metadata: { ...made.metadata, resourceVersion } })
      const message = `strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`
      expect(statusSummary(reply)).toEqual({ code: 500, reason: undefined, message })
    })
  )

  it("without replicas sets the default", () =>
    withWeb(async (server) => {
      const { json } = await put(server, aDeployment({ spec: { replicas: undefined } }))
      expect(json.spec.replicas).toBe(1)
    }))

  it("keeps the fields that the server sets, and the status", () =>
    withWeb(async (server, made) => {
      const metadata = {
        ...made.metadata,
        creationTimestamp: "2001-01-01T00:00:00Z",
        generation: 99,
        deletionTimestamp: "2001-01-01T00:00:00Z"
      }
      const { code, json } = await put(server, { ...made, metadata, status: { replicas: 99 } })
      expect(code).toBe(200)
      expect(json.metadata.creationTimestamp).toBe(made.metadata.creationTimestamp)
      expect(json.metadata.generation).toBe(made.metadata.generation)
      expect(json.metadata.deletionTimestamp).toBeUndefined()
      expect(json.status).toEqual(made.status)
    }))

  it("with another uid is a conflict, with the storage's message", () =>
    withWeb(async (server, made) => {
      const reply = await put(server, { ...made, metadata: { name: "web", uid: "uid-old" } })
      expect(statusSummary(reply)).toEqual({
        code: 409,
        reason: "Conflict",
        message: `Operation cannot be fulfilled on deployments.apps "web": StorageError: invalid object, Code: 4, Key: /registry/deployments/default/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: uid-old, UID in object meta: ${made.metadata.uid}`
      })
    }))

  it.each([
    {
      metadata: { name: "shop" },
      message: "the name of the object (shop) does not match the name on the URL (web)"
    },
    {
      metadata: {},
      message: "the name of the object (web based on URL) was undeterminable: name must be provided"
    },
    {
      metadata: { name: "web", namespace: "shop" },
      message: "the namespace of the provided object does not match the namespace sent on the request"
    }
  ])("is refused with 400: $message", ({ metadata, message }) =>
    withWeb(async (server, made) => {
      const reply = await put(server, { ...made, metadata })
      expect(statusSummary(reply)).toEqual({ code: 400, reason: "BadRequest", message })
    })
  )

  it("of another selector is refused", () =>
    withWeb(async (server) => {
      const spec = {
        selector: { matchLabels: { app: "shop" } },
        template: { metadata: { labels: { app: "shop" } }, spec: aDeployment().spec.template.spec }
      }
      expect(statusSummary(await put(server, aDeployment({ spec })))).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"shop"}}: field is immutable'
      })
    }))

  it("that changes nothing keeps resourceVersion", () =>
    withWeb(async (server, made) => {
      const { code, json } = await put(server, made)
      expect([code, json.metadata.resourceVersion]).toEqual([200, made.metadata.resourceVersion])
    }))

  it("that adds zero values and empty lists to a template keeps its generation and the stored form", () =>
    withTestServer(async ({ request }) => {
      await request("POST", deployments, { body: aDeployment() })
      const { json: before } = await request("GET", `${deployments}/web`)
      const podSpec = { ...before.spec.template.spec, hostNetwork: false, nodeName: "", tolerations: [] }
      const template = { ...before.spec.template, spec: podSpec }
      const { code, json: after } = await request("PUT", `${deployments}/web`, {
        body: { ...before, spec: { ...before.spec, template } }
      })
      expect([code, after]).toEqual([200, before])
    }))

  it("changes nothing in a dry run", () =>
    withWeb(async (server, made) => {
      const body = { ...made, spec: { ...made.spec, replicas: 7 } }
      const tried = await put(server, body, `${web}?dryRun=All`)
      expect([tried.code, tried.json.spec.replicas]).toEqual([200, 7])
      expect((await server.request("GET", web)).json).toEqual(made)
    }))

  it.each([
    {
      path: "/apis/coordination.k8s.io/v1/namespaces/default/leases/a",
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1"
    },
    { path: "/api/v1/namespaces/default/services/a", kind: "Service", apiVersion: "v1" },
    { path: "/api/v1/namespaces/default/events/a", kind: "Event", apiVersion: "v1" }
  ])("of a missing $kind creates it", ({ path, kind, apiVersion }) =>
    withTestServer(async (server) => {
      const involvedObject = { namespace: "default" }
      const spec = kind === "Service" ? { ports: [{ port: 80 }] } : undefined
      const body = {
        apiVersion,
        kind,
        metadata: { name: "a" },
        spec,
        ...(kind === "Event" ? { involvedObject } : {})
      }
      expect((await put(server, body, path)).code).toBe(201)
      expect((await server.request("GET", path)).json.metadata.name).toBe("a")
    })
  )

  it("of other missing kinds answers 404", () =>
    withTestServer(async (server) => {
      expect(statusSummary(await put(server, aDeployment()))).toEqual({
        code: 404,
        reason: "NotFound",
        message: 'deployments.apps "web" not found'
      })
      const reply = await put(server, aConfigMap("a"), `${configMaps}/a`)
      expect(statusSummary(reply)).toMatchObject({ code: 404, message: 'configmaps "a" not found' })
    }))
})

describe("metadata.generation", () => {
  const steps = async (server: TestServer, path: string): Promise<ReadonlyArray<number>> => {
    const patches = [
      { metadata: { labels: { a: "b" } } },
      { metadata: { annotations: { a: "b" } } },
      { spec: { replicas: 7 } },
      { spec: { replicas: 7 } }
    ]
    const generations: Array<number> = []
    for (const body of patches) {
      const { json } = await server.request("PATCH", path, { body, headers: patchType.merge })
      generations.push(json.metadata.generation)
    }
    return generations
  }

  it("of a Deployment rises with its spec and annotations, not with its labels", () =>
    withWeb(async (server) => {
      expect(await steps(server, web)).toEqual([1, 2, 3, 3])
    }))

  it("of a ReplicaSet rises with its spec only", () =>
    withTestServer(async (server) => {
      await server.request("POST", replicaSets, { body: aReplicaSet() })
      expect(await steps(server, `${replicaSets}/web`)).toEqual([1, 1, 2, 2])
    }))
})

describe("PUT of /status", () => {
  it("changes status and annotations, not spec, labels or generation", () =>
    withWeb(async (server, made) => {
      const body = {
        ...made,
        metadata: { ...made.metadata, annotations: { seen: "yes" }, labels: { mine: "no" } },
        spec: { ...made.spec, replicas: 99 },
        status: { ...made.status, collisionCount: 7 }
      }
      const { code, json } = await put(server, body, `${web}/status`)
      expect(code).toBe(200)
      expect(json.metadata).toMatchObject({
        annotations: { seen: "yes" },
        generation: made.metadata.generation
      })
      expect(json.metadata.labels).toEqual(made.metadata.labels)
      expect(json.spec).toEqual(made.spec)
      expect(json.status.collisionCount).toBe(7)
      const metadata = { name: "web" }
      const lowered = { ...json, metadata, status: { ...json.status, collisionCount: 1 } }
      const refused = await put(server, lowered, `${web}/status`)
      expect(refused.json.details.causes).toEqual([
        {
          reason: "FieldValueInvalid",
          message: "Invalid value: 1: cannot be decremented",
          field: "status.collisionCount"
        }
      ])
    }))

  it("changes labels of a ReplicaSet", () =>
    withTestServer(async (server) => {
      const { json: made } = await server.request("POST", replicaSets, { body: aReplicaSet() })
      const body = {
        ...made,
        metadata: { name: "web", labels: { mine: "yes" } },
        spec: { ...made.spec, replicas: 99 }
      }
      const { json } = await put(server, body, `${replicaSets}/web/status`)
      expect([json.metadata.labels, json.spec.replicas]).toEqual([{ mine: "yes" }, 3])
    }))

  it("has a GET that answers with the whole object", () =>
    withWeb(async ({ request }, made) => {
      expect((await request("GET", `${web}/status`)).json).toEqual(made)
    }))
})

describe("a running Pod", () => {
  it("may change its image, but not its hostname", () =>
    withTestServer(async (server) => {
      await server.request("POST", pods, { body: aPod() })
      const path = `${pods}/web-1`
      const change = (spec: object) =>
        server.request("PATCH", path, { body: { spec }, headers: patchType.strategic })
      const { code, json } = await change({ containers: [{ name: "app", image: "registry.example/app:v9" }] })
      expect([code, json.spec.containers[0].image]).toEqual([200, "registry.example/app:v9"])
      expect(json.metadata.generation).toBe(2)
      const refused = await change({ hostname: "elsewhere" })
      expect(refused.code).toBe(422)
      expect(refused.json.details.causes).toMatchObject([{ reason: "FieldValueForbidden", field: "spec" }])
      expect(refused.json.message).toMatch(
        /^Pod "web-1" is invalid: spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/
      )
    }))
})

describe("the finalizers of a namespace", () => {
  it("are removed through /finalize only", () =>
    withTestServer(async ({ request }) => {
      const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }
      const { json: made } = await request("POST", "/api/v1/namespaces", { body: shop })
      expect([made.spec, made.status, made.metadata.labels]).toEqual([
        { finalizers: ["kubernetes"] },
        { phase: "Active" },
        { "kubernetes.io/metadata.name": "shop" }
      ])
      const without = { ...made, spec: {} }
      const main = await request("PUT", "/api/v1/namespaces/shop", { body: without })
      expect(main.json.spec).toEqual({ finalizers: ["kubernetes"] })
      const { resourceVersion: _version, ...metadata } = made.metadata
      const reply = await request("PUT", "/api/v1/namespaces/shop/finalize", {
        body: { ...without, metadata }
      })
      expect([reply.code, reply.json.spec.finalizers ?? []]).toEqual([200, []])
    }))
})

describe("a Deployment with a dotted name and duplicate ports", () => {
  const containers = [80, 81].map((containerPort) => ({
    name: `c${containerPort}`,
    image: "i",
    ports: [{ name: "http", containerPort }]
  }))
  const oddDeployment = aDeployment({ name: "w.2", pod: { containers } })
  const path = `${deployments}/w.2`
  const nameWarning =
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"
  const [first, second] = [0, 1].map((index) => `spec.template.spec.containers[${index}].ports[0]`)
  const portWarning = String.raw`${second}: duplicate port name \"http\" with ${first}, services and probes that select ports by name will use ${first}`
  const warnings = ({ headers }: Reply): string | undefined => headers.warning
  const asWarnings = (...texts: ReadonlyArray<string>): string =>
    texts.map((text) => `299 - "${text}"`).join(", ")

  it("causes warnings when created, by apply too", () =>
    withTestServer(async ({ request }) => {
      const headers = patchType.apply
      const applied = await request("PATCH", `${path}?fieldManager=me`, { body: oddDeployment, headers })
      expect([applied.code, warnings(applied)]).toEqual([201, asWarnings(nameWarning, portWarning)])
      const again = await request("PATCH", `${path}?fieldManager=me`, { body: oddDeployment, headers })
      expect([again.code, warnings(again)]).toEqual([200, undefined])
    }))

  it("causes warnings for each new generation, by any write", () =>
    withTestServer(async ({ request }) => {
      await request("POST", deployments, { body: oddDeployment })
      const headers = patchType.merge
      const spec = { replicas: 5 }
      const size = { metadata: { name: "w.2" }, spec: { replicas: 7 } }
      const writes = [
        await request("PUT", path, {
          body: { ...oddDeployment, spec: { ...oddDeployment.spec, paused: true } }
        }),
        await request("PATCH", path, { body: { spec }, headers }),
        await request("PUT", `${path}/scale`, { body: size }),
        await request("PATCH", `${path}?fieldManager=me&force=true`, {
          body: { ...oddDeployment, spec: { ...oddDeployment.spec, ...spec } },
          headers: patchType.apply
        })
      ]
      expect(writes.map((reply) => [reply.code, warnings(reply)])).toEqual(
        writes.map(() => [200, asWarnings(portWarning)])
      )
      const labelled = await request("PATCH", path, { body: { metadata: { labels: { a: "b" } } }, headers })
      expect([labelled.code, warnings(labelled)]).toEqual([200, undefined])
    }))

  it("as a Pod causes warnings only when created", () =>
    withTestServer(async ({ request }) => {
      const body = aPod({ name: "w.2", pod: oddDeployment.spec.template.spec })
      expect(warnings(await request("POST", pods, { body }))).toContain("duplicate port name")
      const change = { metadata: { annotations: { a: "b" } } }
      const changed = await request("PATCH", `${pods}/w.2`, { body: change, headers: patchType.merge })
      expect([changed.code, warnings(changed)]).toEqual([200, undefined])
    }))
})

describe("PUT of a missing object", () => {
  const rbac = "/apis/rbac.authorization.k8s.io/v1"
  const inDefault = "namespaces/default"
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" }
  it.each([
    { path: `/api/v1/${inDefault}/limitranges`, body: { spec: { limits: [] } } },
    { path: `/api/v1/${inDefault}/endpoints`, body: {} },
    { path: `/api/v1/${inDefault}/services`, body: { spec: { ports: [{ port: 80 }] } } },
    { path: `/apis/coordination.k8s.io/v1/${inDefault}/leases`, body: {} },
    { path: `${rbac}/${inDefault}/roles`, body: { rules: [] } },
    { path: `${rbac}/${inDefault}/rolebindings`, body: { roleRef } },
    { path: `${rbac}/clusterroles`, body: { rules: [] } },
    { path: `${rbac}/clusterrolebindings`, body: { roleRef: { ...roleRef, kind: "ClusterRole" } } }
  ])("creates it: $path", ({ path, body }) =>
    withTestServer(async ({ request }) => {
      const object = { metadata: { name: "a" }, ...body }
      expect((await request("PUT", `${path}/a`, { body: object })).code).toBe(201)
      expect((await request("PUT", `${path}/a`, { body: object })).code).toBe(200)
    })
  )

  it.each([
    { path: configMaps, why: "of most kinds" },
    { path: "/api/v1/namespaces/default/resourcequotas", why: "of ResourceQuota, unlike LimitRange" },
    { path: "/api/v1/namespaces/default/services", below: "/status", why: "on /status" }
  ])("creates nothing $why", ({ path, below = "" }) =>
    withTestServer(async ({ request }) => {
      const body = { metadata: { name: "a" }, spec: {} }
      expect((await request("PUT", `${path}/a${below}`, { body })).code).toBe(404)
      expect((await request("GET", `${path}/a`)).code).toBe(404)
    })
  )
})
