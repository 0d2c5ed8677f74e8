import { describe, expect, it } from "vitest"
import { cronTab, cronTabsPath, createDefinition, definition } from "./cronTabs.ts"
import { patchType, statusSummary } from "../apiObjects.ts"
import { withTestServer } from "../testServer.ts"
import type { TestServer } from "../testServer.ts"

const scalePath = `${cronTabsPath}/nightly/scale`
const missingFieldText = 'the spec replicas field ".spec.limits.pods" '

/** Runs a test with an object whose specReplicasPath leads to a missing field. */
const withoutReplicas = (check: (server: TestServer) => Promise<void>): Promise<void> =>
  withTestServer(async (server) => {
    const paths = { specReplicasPath: ".spec.limits.pods", statusReplicasPath: ".status.replicas" }
    await createDefinition(server, definition({ version: { subresources: { status: {}, scale: paths } } }))
    await server.request("POST", cronTabsPath, { body: cronTab() })
    await check(server)
  })

describe("the scale of a custom object without replicas", () => {
  it("is an error to read", () =>
    withoutReplicas(async ({ request }) =>
      expect(statusSummary(await request("GET", scalePath))).toEqual({
        code: 500,
        reason: "InternalError",
        message: `Internal error occurred: ${missingFieldText}does not exist`
      })
    ))

  it.each([
    { method: "PUT", type: "json", body: { metadata: { name: "nightly" }, spec: { replicas: 5 } } },
    { method: "PATCH", type: "merge", body: { spec: { replicas: 5 } } },
    {
      method: "PATCH",
      type: "apply",
      body: {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "nightly" },
        spec: { replicas: 5 }
      }
    }
  ] as const)("is set by $method of $type", ({ method, type, body }) =>
    withoutReplicas(async ({ request }) => {
      const headers = type === "json" ? {} : patchType[type]
      // Force is needed by the first manager that applies to a field without an owner.
      const query = type === "apply" ? "?fieldManager=me&force=true" : ""
      const reply = await request(method, `${scalePath}${query}`, { body, headers })
      expect(reply.json).toMatchObject({ kind: "Scale", spec: { replicas: 5 } })
      const { json } = await request("GET", `${cronTabsPath}/nightly`)
      expect(json.spec.limits).toEqual({ pods: 5 })
    })
  )

  it("is not set by a patch without replicas", () =>
    withoutReplicas(async ({ request }) => {
      const body = { metadata: { labels: { a: "b" } } }
      expect(statusSummary(await request("PATCH", scalePath, { body, headers: patchType.merge }))).toEqual({
        code: 400,
        reason: "BadRequest",
        message: `${missingFieldText}cannot be empty`
      })
    }))
})
