import { describe, expect, it } from "vitest"
import { cronTab, cronTabs, define, definition } from "./cronTabs.ts"
import { patchType, told } from "./drafts.ts"
import { inWorld } from "./world.ts"
import type { World } from "./world.ts"

const scale = `${cronTabs}/nightly/scale`
const missing = 'the spec replicas field ".spec.limits.pods" '

/** A world with an object of a kind whose size is at a path that the object does not have. */
const unsized = (story: (world: World) => Promise<void>): Promise<void> =>
  inWorld(async (world) => {
    const paths = { specReplicasPath: ".spec.limits.pods", statusReplicasPath: ".status.replicas" }
    await define(world, definition({ version: { subresources: { status: {}, scale: paths } } }))
    await world.request("POST", cronTabs, { body: cronTab() })
    await story(world)
  })

describe("the size of an object that has none yet", () => {
  it("cannot be read", () =>
    unsized(async ({ request }) =>
      expect(told(await request("GET", scale))).toEqual({
        code: 500,
        reason: "InternalError",
        message: `Internal error occurred: ${missing}does not exist`
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
  ] as const)("is given by $method of $type", ({ method, type, body }) =>
    unsized(async ({ request }) => {
      const headers = type === "json" ? {} : patchType[type]
      // Who was first to apply to what nobody applied before must insist.
      const query = type === "apply" ? "?fieldManager=me&force=true" : ""
      const reply = await request(method, `${scale}${query}`, { body, headers })
      expect(reply.json).toMatchObject({ kind: "Scale", spec: { replicas: 5 } })
      const { json } = await request("GET", `${cronTabs}/nightly`)
      expect(json.spec.limits).toEqual({ pods: 5 })
    })
  )

  it("is not given by a patch that says none", () =>
    unsized(async ({ request }) => {
      const body = { metadata: { labels: { a: "b" } } }
      expect(told(await request("PATCH", scale, { body, headers: patchType.merge }))).toEqual({
        code: 400,
        reason: "BadRequest",
        message: `${missing}cannot be empty`
      })
    }))
})
