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
  told
} from "./drafts.ts"
import { inWorld } from "./world.ts"
import type { Json, Reply, World } from "./world.ts"

const web = `${deployments}/web`
const withWeb = (story: (world: World, made: Json) => Promise<void>): Promise<void> =>
  inWorld(async (world) => {
    await world.request("POST", deployments, { body: aDeployment() })
    await story(world, (await world.request("GET", web)).json)
  })
const put = ({ request }: World, body: Json, path = web) => request("PUT", path, { body })

const modified =
  'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again'

describe("a replacement", () => {
  it("with the stored version succeeds, and with an old one is a conflict", () =>
    withWeb(async (world, made) => {
      const body = { ...made, spec: { ...made.spec, replicas: 5 } }
      const { code, json } = await put(world, body)
      expect([code, json.spec.replicas, json.metadata.generation]).toEqual([200, 5, 2])
      const stale = await put(world, { ...made, spec: { ...made.spec, replicas: 7 } })
      expect(told(stale)).toEqual({ code: 409, reason: "Conflict", message: modified })
      expect(stale.json.details).toEqual({ name: "web", group: "apps", kind: "deployments" })
    }))

  it.each([undefined, "", "0"])("without a version, or %o, is made of whatever there is", (resourceVersion) =>
    withWeb(async (world, made) => {
      const body = {
        ...made,
        metadata: { name: "web", resourceVersion },
        spec: { ...made.spec, replicas: 5 }
      }
      expect((await put(world, body)).json.spec.replicas).toBe(5)
    })
  )

  it("that leaves the size out asks for the default", () =>
    withWeb(async (world) => {
      const { json } = await put(world, aDeployment({ spec: { replicas: undefined } }))
      expect(json.spec.replicas).toBe(1)
    }))

  it("keeps what is the server's, whatever it says of it", () =>
    withWeb(async (world, made) => {
      const metadata = {
        ...made.metadata,
        creationTimestamp: "2001-01-01T00:00:00Z",
        generation: 99,
        deletionTimestamp: "2001-01-01T00:00:00Z"
      }
      const { code, json } = await put(world, { ...made, metadata, status: { replicas: 99 } })
      expect(code).toBe(200)
      expect(json.metadata.creationTimestamp).toBe(made.metadata.creationTimestamp)
      expect(json.metadata.generation).toBe(made.metadata.generation)
      expect(json.metadata.deletionTimestamp).toBeUndefined()
      expect(json.status).toEqual(made.status)
    }))

  it("of another object of the same name is a conflict, in the words of the storage", () =>
    withWeb(async (world, made) => {
      const reply = await put(world, { ...made, metadata: { name: "web", uid: "uid-old" } })
      expect(told(reply)).toEqual({
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
  ])("is a bad request: $message", ({ metadata, message }) =>
    withWeb(async (world, made) => {
      const reply = await put(world, { ...made, metadata })
      expect(told(reply)).toEqual({ code: 400, reason: "BadRequest", message })
    })
  )

  it("of the selector is refused", () =>
    withWeb(async (world) => {
      const spec = {
        selector: { matchLabels: { app: "shop" } },
        template: { metadata: { labels: { app: "shop" } }, spec: aDeployment().spec.template.spec }
      }
      expect(told(await put(world, aDeployment({ spec })))).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"shop"}}: field is immutable'
      })
    }))

  it("that changes nothing is no write", () =>
    withWeb(async (world, made) => {
      const { code, json } = await put(world, made)
      expect([code, json.metadata.resourceVersion]).toEqual([200, made.metadata.resourceVersion])
    }))

  it("is only tried in a dry run", () =>
    withWeb(async (world, made) => {
      const body = { ...made, spec: { ...made.spec, replicas: 7 } }
      const tried = await put(world, body, `${web}?dryRun=All`)
      expect([tried.code, tried.json.spec.replicas]).toEqual([200, 7])
      expect((await world.request("GET", web)).json).toEqual(made)
    }))

  it.each([
    {
      path: "/apis/coordination.k8s.io/v1/namespaces/default/leases/a",
      kind: "Lease",
      apiVersion: "coordination.k8s.io/v1"
    },
    { path: "/api/v1/namespaces/default/services/a", kind: "Service", apiVersion: "v1" },
    { path: "/api/v1/namespaces/default/events/a", kind: "Event", apiVersion: "v1" }
  ])("of a $kind that there is not creates it", ({ path, kind, apiVersion }) =>
    inWorld(async (world) => {
      const involvedObject = { namespace: "default" }
      const spec = kind === "Service" ? { ports: [{ port: 80 }] } : undefined
      const body = {
        apiVersion,
        kind,
        metadata: { name: "a" },
        spec,
        ...(kind === "Event" ? { involvedObject } : {})
      }
      expect((await put(world, body, path)).code).toBe(201)
      expect((await world.request("GET", path)).json.metadata.name).toBe("a")
    })
  )

  it("of anything else that there is not is not found", () =>
    inWorld(async (world) => {
      expect(told(await put(world, aDeployment()))).toEqual({
        code: 404,
        reason: "NotFound",
        message: 'deployments.apps "web" not found'
      })
      const reply = await put(world, aConfigMap("a"), `${configMaps}/a`)
      expect(told(reply)).toMatchObject({ code: 404, message: 'configmaps "a" not found' })
    }))
})

describe("the generation", () => {
  const steps = async (world: World, path: string): Promise<ReadonlyArray<number>> => {
    const patches = [
      { metadata: { labels: { a: "b" } } },
      { metadata: { annotations: { a: "b" } } },
      { spec: { replicas: 7 } },
      { spec: { replicas: 7 } }
    ]
    const generations: Array<number> = []
    for (const body of patches) {
      const { json } = await world.request("PATCH", path, { body, headers: patchType.merge })
      generations.push(json.metadata.generation)
    }
    return generations
  }

  it("of a Deployment counts what it asks for and its annotations, not its labels", () =>
    withWeb(async (world) => {
      expect(await steps(world, web)).toEqual([1, 2, 3, 3])
    }))

  it("of a ReplicaSet counts only what it asks for", () =>
    inWorld(async (world) => {
      await world.request("POST", replicaSets, { body: aReplicaSet() })
      expect(await steps(world, `${replicaSets}/web`)).toEqual([1, 1, 2, 2])
    }))
})

describe("a status", () => {
  it("is replaced with the annotations, without a new generation, and without spec and labels", () =>
    withWeb(async (world, made) => {
      const body = {
        ...made,
        metadata: { ...made.metadata, annotations: { seen: "yes" }, labels: { mine: "no" } },
        spec: { ...made.spec, replicas: 99 },
        status: { ...made.status, collisionCount: 7 }
      }
      const { code, json } = await put(world, body, `${web}/status`)
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
      const refused = await put(world, lowered, `${web}/status`)
      expect(refused.json.details.causes).toEqual([
        {
          reason: "FieldValueInvalid",
          message: "Invalid value: 1: cannot be decremented",
          field: "status.collisionCount"
        }
      ])
    }))

  it("of a ReplicaSet takes the labels along", () =>
    inWorld(async (world) => {
      const { json: made } = await world.request("POST", replicaSets, { body: aReplicaSet() })
      const body = {
        ...made,
        metadata: { name: "web", labels: { mine: "yes" } },
        spec: { ...made.spec, replicas: 99 }
      }
      const { json } = await put(world, body, `${replicaSets}/web/status`)
      expect([json.metadata.labels, json.spec.replicas]).toEqual([{ mine: "yes" }, 3])
    }))

  it("is read by itself as the whole object", () =>
    withWeb(async ({ request }, made) => {
      expect((await request("GET", `${web}/status`)).json).toEqual(made)
    }))
})

describe("a Pod", () => {
  it("may only change its image and little else", () =>
    inWorld(async (world) => {
      await world.request("POST", pods, { body: aPod() })
      const path = `${pods}/web-1`
      const change = (spec: object) =>
        world.request("PATCH", path, { body: { spec }, headers: patchType.strategic })
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

describe("a namespace's own finalizers", () => {
  it("are taken away by its own sub-resource only", () =>
    inWorld(async ({ request }) => {
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

describe("what is odd about a Deployment is told", () => {
  const containers = [80, 81].map((containerPort) => ({
    name: `c${containerPort}`,
    image: "i",
    ports: [{ name: "http", containerPort }]
  }))
  const odd = aDeployment({ name: "w.2", pod: { containers } })
  const path = `${deployments}/w.2`
  const ofName =
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"
  const [first, second] = [0, 1].map((index) => `spec.template.spec.containers[${index}].ports[0]`)
  const ofTemplate = String.raw`${second}: duplicate port name \"http\" with ${first}, services and probes that select ports by name will use ${first}`
  const warnings = ({ headers }: Reply): string | undefined => headers.warning
  const asWarnings = (...texts: ReadonlyArray<string>): string =>
    texts.map((text) => `299 - "${text}"`).join(", ")

  it("when it is created, be it by applying it", () =>
    inWorld(async ({ request }) => {
      const headers = patchType.apply
      const applied = await request("PATCH", `${path}?fieldManager=me`, { body: odd, headers })
      expect([applied.code, warnings(applied)]).toEqual([201, asWarnings(ofName, ofTemplate)])
      const again = await request("PATCH", `${path}?fieldManager=me`, { body: odd, headers })
      expect([again.code, warnings(again)]).toEqual([200, undefined])
    }))

  it("whenever there is a new generation of it, whoever makes that", () =>
    inWorld(async ({ request }) => {
      await request("POST", deployments, { body: odd })
      const headers = patchType.merge
      const spec = { replicas: 5 }
      const size = { metadata: { name: "w.2" }, spec: { replicas: 7 } }
      const writes = [
        await request("PUT", path, { body: { ...odd, spec: { ...odd.spec, paused: true } } }),
        await request("PATCH", path, { body: { spec }, headers }),
        await request("PUT", `${path}/scale`, { body: size }),
        await request("PATCH", `${path}?fieldManager=me&force=true`, {
          body: { ...odd, spec: { ...odd.spec, ...spec } },
          headers: patchType.apply
        })
      ]
      expect(writes.map((reply) => [reply.code, warnings(reply)])).toEqual(
        writes.map(() => [200, asWarnings(ofTemplate)])
      )
      const labelled = await request("PATCH", path, { body: { metadata: { labels: { a: "b" } } }, headers })
      expect([labelled.code, warnings(labelled)]).toEqual([200, undefined])
    }))

  it("of a Pod once only", () =>
    inWorld(async ({ request }) => {
      const body = aPod({ name: "w.2", pod: odd.spec.template.spec })
      expect(warnings(await request("POST", pods, { body }))).toContain("duplicate port name")
      const change = { metadata: { annotations: { a: "b" } } }
      const changed = await request("PATCH", `${pods}/w.2`, { body: change, headers: patchType.merge })
      expect([changed.code, warnings(changed)]).toEqual([200, undefined])
    }))
})

describe("a replacement of what there is not", () => {
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
    inWorld(async ({ request }) => {
      const object = { metadata: { name: "a" }, ...body }
      expect((await request("PUT", `${path}/a`, { body: object })).code).toBe(201)
      expect((await request("PUT", `${path}/a`, { body: object })).code).toBe(200)
    })
  )

  it.each([
    { path: configMaps, why: "of most kinds" },
    { path: "/api/v1/namespaces/default/resourcequotas", why: "of a quota, unlike that of a LimitRange" },
    { path: "/api/v1/namespaces/default/services", below: "/status", why: "which only has a status" }
  ])("creates nothing $why", ({ path, below = "" }) =>
    inWorld(async ({ request }) => {
      const body = { metadata: { name: "a" }, spec: {} }
      expect((await request("PUT", `${path}/a${below}`, { body })).code).toBe(404)
      expect((await request("GET", `${path}/a`)).code).toBe(404)
    })
  )
})
