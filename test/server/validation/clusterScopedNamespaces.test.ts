import { describe, expect, it } from "vitest"
import { aWebsite, websiteDefinition } from "../../builders/customResources.ts"
import { withTestServer, type Reply, type TestServer } from "../testServer.ts"

const definitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

const rows = [
  {
    kind: "ClusterRole",
    path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    manifest: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "blog" } }
  },
  {
    kind: "Namespace",
    path: "/api/v1/namespaces",
    manifest: { apiVersion: "v1", kind: "Namespace", metadata: { name: "blog" } }
  },
  {
    kind: "Node",
    path: "/api/v1/nodes",
    manifest: { apiVersion: "v1", kind: "Node", metadata: { name: "blog" } }
  },
  { kind: "cluster-scoped custom resource", path: "/apis/example.com/v1/websites", manifest: aWebsite() }
]

/** The manifest in a namespace, with a label that tells whether a request has changed the object. */
const misplaced = (manifest: (typeof rows)[number]["manifest"], label: string) => ({
  ...manifest,
  metadata: { ...manifest.metadata, namespace: "odd", labels: { by: label } }
})

const withDefinition = (check: (server: TestServer) => Promise<void>): Promise<void> =>
  withTestServer(async (server) => {
    const body = websiteDefinition({ scope: "Cluster" }, { namespace: "odd" })
    const { code, json } = await server.request("POST", definitionsPath, { body })
    expect([code, json.metadata.namespace]).toEqual([201, undefined])
    await check(server)
  })

const summary = ({ code, json }: Reply) => ({
  code,
  namespace: json.metadata.namespace,
  by: json.metadata.labels?.by
})

const asPatch = (type: string) => ({ headers: { "content-type": `application/${type}` } })

describe("metadata.namespace of a cluster-scoped object", () => {
  it.each(rows)("is dropped by POST, PUT and PATCH: $kind", ({ path, manifest }) =>
    withDefinition(async ({ request }) => {
      const expectDropped = (reply: Reply, code: number, by: string): void =>
        expect(summary(reply)).toEqual({ code, namespace: undefined, by })
      const object = `${path}/blog`
      const send = (method: string, label: string, query = "") =>
        request(method, `${method === "POST" ? path : object}${query}`, { body: misplaced(manifest, label) })
      expectDropped(await send("POST", "post", "?dryRun=All"), 201, "post")
      expect((await request("GET", object)).code).toBe(404)
      expectDropped(await send("POST", "post"), 201, "post")
      expectDropped(await send("PUT", "put", "?dryRun=All"), 200, "put")
      expectDropped(await send("PUT", "put"), 200, "put")
      const merged = { metadata: { namespace: "odd", labels: { by: "merge" } } }
      expectDropped(
        await request("PATCH", object, { ...asPatch("merge-patch+json"), body: JSON.stringify(merged) }),
        200,
        "merge"
      )
      const operations = [
        { op: "add", path: "/metadata/namespace", value: "odd" },
        { op: "replace", path: "/metadata/labels/by", value: "json" }
      ]
      expectDropped(
        await request("PATCH", object, { ...asPatch("json-patch+json"), body: JSON.stringify(operations) }),
        200,
        "json"
      )
      expectDropped(
        await request("PATCH", `${object}?fieldManager=test&force=true`, {
          ...asPatch("apply-patch+yaml"),
          body: JSON.stringify(misplaced(manifest, "apply"))
        }),
        200,
        "apply"
      )
      expectDropped(await request("GET", object), 200, "apply")
    })
  )

  it("is dropped when server-side apply creates the object", () =>
    withDefinition(async ({ request }) => {
      const reply = await request("PATCH", "/apis/example.com/v1/websites/blog?fieldManager=test", {
        ...asPatch("apply-patch+yaml"),
        body: JSON.stringify(misplaced(aWebsite(), "apply"))
      })
      expect(summary(reply)).toEqual({ code: 201, namespace: undefined, by: "apply" })
    }))

  it("is dropped on the sub-resource status", () =>
    withDefinition(async ({ request }) => {
      const path = "/apis/example.com/v1/websites"
      await request("POST", path, { body: aWebsite() })
      const put = await request("PUT", `${path}/blog/status`, {
        body: { ...misplaced(aWebsite(), "put"), status: { ready: true } }
      })
      expect([put.code, put.json.metadata.namespace, put.json.status]).toEqual([
        200,
        undefined,
        { ready: true }
      ])
      const patch = await request("PATCH", `${path}/blog/status`, {
        ...asPatch("merge-patch+json"),
        body: JSON.stringify({ metadata: { namespace: "odd" }, status: { ready: false } })
      })
      expect([patch.code, patch.json.metadata.namespace, patch.json.status]).toEqual([
        200,
        undefined,
        { ready: false }
      ])
    }))

  it("is dropped from a review, and must be the request's in a namespaced one", () =>
    withTestServer(async ({ request }) => {
      const review = (kind: string, namespace: string) => ({
        apiVersion: "authorization.k8s.io/v1",
        kind,
        metadata: { namespace },
        spec: { user: "jane", resourceAttributes: { verb: "get", resource: "pods", namespace: "default" } }
      })
      const group = "/apis/authorization.k8s.io/v1"
      const subject = await request("POST", `${group}/subjectaccessreviews`, {
        body: review("SubjectAccessReview", "odd")
      })
      expect([subject.code, subject.json.metadata.namespace]).toEqual([201, undefined])
      const local = `${group}/namespaces/default/localsubjectaccessreviews`
      const mismatch = await request("POST", local, { body: review("LocalSubjectAccessReview", "odd") })
      expect([mismatch.code, mismatch.json.message]).toEqual([
        400,
        "the namespace of the provided object does not match the namespace sent on the request"
      ])
    }))
})
