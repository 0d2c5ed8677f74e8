import { describe, expect, it } from "vitest"
import {
  aDeployment,
  aReplicaSet,
  asTable,
  deployments,
  patchType,
  replicaSets,
  statusSummary
} from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { Json, TestServer } from "../testServer.ts"

const web = `${deployments}/web`
const scale = `${web}/scale`

const withWeb = (check: (server: TestServer) => Promise<void>): Promise<void> =>
  withTestServer(async (server) => {
    await server.request("POST", `${deployments}?fieldManager=maker`, { body: aDeployment() })
    await check(server)
  })

const aScale = (spec: object, metadata: object = {}): Json => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "web", namespace: "default", ...metadata },
  spec
})

/** A scale patch with the apiVersion and kind of the scaled object, as Ansible's `k8s_scale` sends it. */
const deploymentPatch = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: { replicas: 5 }
}

/** Owners of spec.replicas as `manager operation subresource`. */
const ownersOf = ({ metadata }: Json): ReadonlyArray<string> =>
  metadata.managedFields
    .filter(({ fieldsV1 }: Json) => fieldsV1["f:spec"]?.["f:replicas"] !== undefined)
    .map(({ manager, operation, subresource = "" }: Json) => `${manager} ${operation} ${subresource}`.trim())

describe("a Scale", () => {
  it("has name, uid and resourceVersion of the scaled object", () =>
    withWeb(async ({ request }) => {
      const { json: object } = await request("GET", web)
      const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
      const { code, json } = await request("GET", scale)
      expect(code).toBe(200)
      expect(json).toEqual({
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
        spec: { replicas: 3 },
        status: { replicas: json.status.replicas, selector: "app=web" }
      })
    }))

  it("changes replicas and the generation, and nothing else, with PUT", () =>
    withWeb(async ({ request }) => {
      const { json: before } = await request("GET", web)
      const { code, json } = await request("PUT", scale, { body: aScale({ replicas: 7 }) })
      expect([code, json.kind, json.spec]).toEqual([200, "Scale", { replicas: 7 }])
      const { json: after } = await request("GET", web)
      expect(after.spec).toEqual({ ...before.spec, replicas: 7 })
      expect(after.metadata.generation).toBe(before.metadata.generation + 1)
    }))

  it("accepts a strategic merge patch that states the kind of the scaled object", () =>
    withWeb(async ({ request }) => {
      const reply = await request("PATCH", scale, { body: deploymentPatch, headers: patchType.strategic })
      expect(reply).toMatchObject({
        code: 200,
        json: { apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 5 } }
      })
      expect((await request("GET", web)).json.spec.replicas).toBe(5)
    }))

  it("without replicas in its spec scales to zero", () =>
    withWeb(async ({ request }) => {
      const { json } = await request("PUT", scale, { body: aScale({}) })
      expect(json.spec).toEqual({})
      expect((await request("GET", web)).json.spec.replicas).toBe(0)
    }))

  it.each([
    { type: "merge", body: { spec: { replicas: 5 } } },
    { type: "strategic", body: { spec: { replicas: 5 } } },
    { type: "json", body: [{ op: "replace", path: "/spec/replicas", value: 5 }] }
  ] as const)("is changed by a patch of type $type", ({ type, body }) =>
    withWeb(async ({ request }) => {
      const { code, json } = await request("PATCH", scale, { body, headers: patchType[type] })
      expect([code, json.spec]).toEqual([200, { replicas: 5 }])
      expect((await request("GET", web)).json.spec.replicas).toBe(5)
    })
  )

  it("and labels change concurrently without conflicts (TestScalePatchConflicts)", () =>
    withWeb(async ({ request }) => {
      const headers = patchType.merge
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          index % 2 === 0
            ? request("PATCH", web, { body: { metadata: { labels: { round: `${index}` } } }, headers })
            : request("PATCH", scale, { body: { spec: { replicas: index } }, headers })
        )
      )
      expect(replies.map(({ code }) => code)).toEqual(replies.map(() => 200))
      const { metadata, spec } = (await request("GET", web)).json
      expect(Number(metadata.labels.round) % 2).toBe(0)
      expect(spec.replicas % 2).toBe(1)
    }))

  it("exists for ReplicaSets", () =>
    withTestServer(async ({ request }) => {
      await request("POST", replicaSets, { body: aReplicaSet() })
      const path = `${replicaSets}/web/scale`
      await request("PATCH", path, { body: { spec: { replicas: 2 } }, headers: patchType.merge })
      expect((await request("GET", `${replicaSets}/web`)).json.spec.replicas).toBe(2)
    }))

  it("changes nothing in a dry run", () =>
    withWeb(async ({ request }) => {
      const { json } = await request("PUT", `${scale}?dryRun=All`, { body: aScale({ replicas: 7 }) })
      expect(json.spec.replicas).toBe(7)
      expect((await request("GET", web)).json.spec.replicas).toBe(3)
    }))

  it("is shown as a table on request", () =>
    withWeb(async ({ request }) => {
      const { json } = await request("GET", scale, { headers: asTable })
      expect(json.columnDefinitions.map(({ name }: Json) => name)).toEqual([
        "Name",
        "Desired",
        "Available",
        "Age"
      ])
      expect(json.rows[0].cells).toEqual(["web", 3, (await request("GET", scale)).json.status.replicas, "0s"])
    }))
})

describe("a Scale is refused", () => {
  it.each([
    {
      body: aScale({ replicas: -1 }),
      code: 422,
      reason: "Invalid",
      message:
        'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      why: "with negative replicas"
    },
    {
      body: aScale({ replicas: 5 }, { resourceVersion: "1" }),
      code: 409,
      reason: "Conflict",
      message:
        'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
      why: "with an old resourceVersion"
    },
    {
      body: aScale({ replicas: 5 }, { name: "shop" }),
      code: 400,
      reason: "BadRequest",
      message: "the name of the object (shop) does not match the name on the URL (web)",
      why: "with another name"
    },
    {
      body: aScale({ replicas: "5" }),
      code: 400,
      reason: "BadRequest",
      message:
        'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32',
      why: "with a string as replicas"
    },
    {
      body: aScale({ replicas: 3_000_000_000 }),
      code: 400,
      reason: "BadRequest",
      message:
        'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal number 3000000000 into Go struct field ScaleSpec.spec.replicas of type int32',
      why: "with replicas above int32"
    },
    {
      body: aScale({ replicas: 5 }, { namespace: "shop" }),
      code: 400,
      reason: "BadRequest",
      message: "the namespace of the provided object does not match the namespace sent on the request",
      why: "of another namespace"
    },
    {
      body: { ...aScale({ replicas: 5 }), apiVersion: "extensions/v1beta1" },
      code: 400,
      reason: "BadRequest",
      message:
        "the API version in the data (extensions/v1beta1) does not match the expected API version (autoscaling/v1)",
      why: "of an old apiVersion"
    },
    {
      body: { ...aScale({ replicas: 5 }), metadata: {} },
      code: 400,
      reason: "BadRequest",
      message: "the name of the object (web based on URL) was undeterminable: name must be provided",
      why: "without a name"
    },
    {
      body: aScale({ replicas: 5, replica: 7 }),
      query: "?fieldValidation=Strict",
      code: 400,
      reason: "BadRequest",
      message:
        'Scale in version "v1" cannot be handled as a Scale: strict decoding error: unknown field "spec.replica"',
      why: "with an unknown field and fieldValidation=Strict"
    }
  ])("$why", ({ body, query = "", code, reason, message }) =>
    withWeb(async ({ request }) => {
      const reply = await request("PUT", `${scale}${query}`, { body })
      expect(statusSummary(reply)).toEqual({ code, reason, message })
      expect((await request("GET", web)).json.spec.replicas).toBe(3)
    })
  )

  it.each([
    {
      body: { spec: { replicas: 3_000_000_000 } },
      code: 422,
      reason: "Invalid",
      message: expect.stringMatching(
        /^ "" is invalid: patch: Invalid value: "\{.*\}": json: cannot unmarshal number 3000000000 into Go struct field ScaleSpec\.spec\.replicas of type int32$/
      ),
      why: "has negative replicas"
    },
    {
      body: { metadata: { name: "shop" } },
      code: 400,
      reason: "BadRequest",
      message: "the name of the object (shop) does not match the name on the URL (web)",
      why: "has another name"
    }
  ])("when the patched Scale $why", ({ body, code, reason, message }) =>
    withWeb(async ({ request }) => {
      const reply = await request("PATCH", scale, { body, headers: patchType.merge })
      expect(statusSummary(reply)).toEqual({ code, reason, message })
      expect((await request("GET", web)).json.spec.replicas).toBe(3)
    })
  )

  it("when a JSON patch or merge patch changes its kind", () =>
    withWeb(async ({ request }) => {
      const operations = [{ op: "replace", path: "/kind", value: "Deployment" }]
      const replies = [
        await request("PATCH", scale, { body: operations, headers: patchType.json }),
        await request("PATCH", scale, { body: deploymentPatch, headers: patchType.merge })
      ]
      expect(replies.map(({ code, json }) => [code, json.reason])).toEqual([
        [422, "Invalid"],
        [422, "Invalid"]
      ])
      expect((await request("GET", web)).json.spec.replicas).toBe(3)
    }))

  it("when the applied configuration has another kind", () =>
    withWeb(async ({ request }) => {
      const reply = await request("PATCH", `${scale}?fieldManager=m`, {
        body: deploymentPatch,
        headers: patchType.apply
      })
      expect(statusSummary(reply)).toEqual({
        code: 400,
        reason: "BadRequest",
        message:
          "Incorrect version specified in apply patch. Specified patch version: apps/v1, expected: autoscaling/v1"
      })
    }))

  it("with an old uid", () =>
    withWeb(async ({ request }) => {
      const { uid } = (await request("GET", web)).json.metadata
      const reply = await request("PUT", scale, { body: aScale({ replicas: 5 }, { uid: "uid-old" }) })
      expect(statusSummary(reply)).toEqual({
        code: 409,
        reason: "Conflict",
        message: `Operation cannot be fulfilled on deployments/scale.apps "web": Precondition failed: UID in precondition: uid-old, UID in object meta: ${uid}`
      })
    }))

  it.each([
    { metadata: { uid: "uid-old" }, why: "uid" },
    { metadata: { resourceVersion: "123" }, why: "resourceVersion" }
  ])("when a patch states another $why (TestScalePatchErrors)", ({ metadata }) =>
    withWeb(async ({ request }) => {
      const body = { metadata, spec: { replicas: 5 } }
      const reply = await request("PATCH", scale, { body, headers: patchType.merge })
      expect([reply.code, reply.json.reason]).toEqual([409, "Conflict"])
      expect((await request("GET", web)).json.spec.replicas).toBe(3)
    })
  )

  it("when its object is missing, with the object's kind on GET and deployments/scale on writes", () =>
    withTestServer(async ({ request }) => {
      const headers = patchType.merge
      const read = await request("GET", scale)
      expect([read.code, read.json.message]).toEqual([404, 'deployments.apps "web" not found'])
      expect(read.json.details).toEqual({ name: "web", group: "apps", kind: "deployments" })
      for (const reply of [
        await request("PUT", scale, { body: aScale({ replicas: 5 }) }),
        await request("PATCH", scale, { body: {}, headers })
      ]) {
        expect(statusSummary(reply)).toEqual({
          code: 404,
          reason: "NotFound",
          message: 'deployments/scale.apps "web" not found'
        })
        expect(reply.json.details).toEqual({ name: "web", group: "apps", kind: "deployments/scale" })
      }
    }))
})

describe("the manager that scales", () => {
  const apply = ({ request }: TestServer, manager: string, body: Json, more = "") =>
    request("PATCH", `${scale}?fieldManager=${manager}${more}`, { body, headers: patchType.apply })

  it("owns replicas through the subresource, in place of the previous owner", () =>
    withWeb(async ({ request }) => {
      expect(ownersOf((await request("GET", web)).json)).toEqual(["maker Update"])
      await request("PUT", `${scale}?fieldManager=scaler`, { body: aScale({ replicas: 7 }) })
      expect(ownersOf((await request("GET", web)).json)).toEqual(["scaler Update scale"])
    }))

  it("conflicts with the owner when it applies another value, unless forced", () =>
    withWeb(async (server) => {
      const refused = await apply(server, "hpa", aScale({ replicas: 5 }))
      expect(refused.json).toMatchObject({
        message: 'Apply failed with 1 conflict: conflict with "maker" using autoscaling/v1: .spec.replicas',
        reason: "Conflict",
        details: {
          causes: [
            {
              reason: "FieldManagerConflict",
              message: 'conflict with "maker" using autoscaling/v1',
              field: ".spec.replicas"
            }
          ]
        },
        code: 409
      })
      const { code, json } = await apply(server, "hpa", aScale({ replicas: 5 }), "&force=true")
      expect([code, json.kind, json.spec]).toEqual([200, "Scale", { replicas: 5 }])
      const { json: object } = await server.request("GET", web)
      expect(object.spec.replicas).toBe(5)
      expect(ownersOf(object)).toEqual(["hpa Apply scale"])
    }))

  it("shares ownership when it applies the same value", () =>
    withWeb(async (server) => {
      const { code } = await apply(server, "hpa", aScale({ replicas: 3 }))
      expect(code).toBe(200)
      const { json } = await server.request("GET", web)
      expect(ownersOf(json).toSorted()).toEqual(["hpa Apply scale", "maker Update"])
      expect(json.metadata.generation).toBe(1)
    }))

  it("must be named in an apply", () =>
    withWeb(async ({ request }) => {
      const reply = await request("PATCH", scale, { body: aScale({ replicas: 5 }), headers: patchType.apply })
      expect(statusSummary(reply)).toEqual({
        code: 422,
        reason: "Invalid",
        message:
          'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch'
      })
    }))
})
