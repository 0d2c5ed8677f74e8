import { describe, expect, it } from "vitest"
import { aManifest } from "../cluster/worlds.ts"
import { openWorld, type World } from "./world.ts"

const clock = "/charthouse/v1/clock"
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const startMillis = Date.UTC(2026, 0, 1)

/** Seconds since the world began. */
const secondsAt = ({ now }: { readonly now: string }): number => (Date.parse(now) - startMillis) / 1000

const post = async (world: World, wish: string) => (await world.request("POST", `${clock}/${wish}`)).json

describe("the clock over HTTP", () => {
  it("takes a rollout past its deadline between two requests", async () => {
    await using world = await openWorld({ behaviour: "steady" })
    const stuck = aManifest({ container: { image: "registry.example/app:v1" }, spec: { paused: false } })
    const body = { ...stuck, spec: { ...stuck.spec, minReadySeconds: 500, progressDeadlineSeconds: 501 } }
    await world.request("POST", deployments, { body: { ...body, spec: { ...body.spec, replicas: 1 } } })
    const conditionOf = async () => {
      const { json } = await world.request("GET", `${deployments}/web`)
      return json.status.conditions?.find(({ type }: { readonly type: string }) => type === "Available")
        ?.status
    }
    expect(await conditionOf()).toBe("False")
    expect(secondsAt(await post(world, "advance?by=10m"))).toBe(600)
    expect(await conditionOf()).toBe("True")
  })

  it("answers when every watcher has been written to", async () => {
    await using world = await openWorld({ behaviour: "steady" })
    const watching = await world.watch(`/api/v1/namespaces/default/pods?watch=1`)
    await world.request("POST", deployments, { body: aManifest({ replicas: 2 }) })
    await post(world, "advance?by=1m")
    // Both came over sockets of their own; what was sent first has been read by the next answer.
    await world.request("GET", clock)
    const phases = watching.lines.map(({ object }) => object.status.phase)
    expect(phases.at(-1)).toBe("Running")
    watching.close()
  })

  it("steps, settles, and says what came of it", async () => {
    await using world = await openWorld({ behaviour: "steady" })
    await world.request("POST", deployments, { body: aManifest({ replicas: 2 }) })
    const { json: before } = await world.request("GET", clock)
    expect(before).toMatchObject({ speed: 0 })
    expect(secondsAt(before)).toBe(0)
    expect(await post(world, "step")).toMatchObject({ now: before.next, stepped: true })
    expect(await post(world, "settle?limit=1h")).toMatchObject({ settled: true })
  })

  it("goes by itself, and stands still again, when it is told to", async () => {
    await using world = await openWorld()
    expect(await post(world, "speed?of=60x")).toMatchObject({ speed: 60 })
    const refused = await world.request("POST", `${clock}/advance?by=1m`)
    expect(refused.json).toMatchObject({
      kind: "Status",
      code: 409,
      reason: "Conflict",
      message: "only a clock that stands still can be advanced: a virtual one, or one that is paused"
    })
    expect(await post(world, "pause")).toMatchObject({ speed: 0 })
    expect(await post(world, "resume")).toMatchObject({ speed: 60 })
  })

  it("fulfils wishes one after another", async () => {
    await using world = await openWorld()
    const both = await Promise.all([post(world, "advance?by=10m"), post(world, "advance?by=10m")])
    expect(both.map(secondsAt)).toEqual([600, 1200])
  })

  it.each([
    { wish: "advance", code: 400, says: "by: Required value" },
    { wish: "advance?by=soon", code: 400, says: 'by: "soon" is no duration such as 10m or 1h30m' },
    { wish: "advance?by=-1s", code: 400, says: 'by: "-1s" is no duration such as 10m or 1h30m' },
    { wish: "settle?limit=x", code: 400, says: 'limit: "x" is no duration such as 10m or 1h30m' },
    { wish: "speed?of=0", code: 400, says: 'of: "0" is no speed such as 60x, 1000000x at the most' },
    {
      wish: "speed?of=9999999x",
      code: 400,
      says: 'of: "9999999x" is no speed such as 60x, 1000000x at the most'
    },
    { wish: "constructor", code: 404, says: "404 page not found" },
    { wish: "rewind", code: 404, says: "404 page not found" }
  ])("refuses $wish: $says", async ({ wish, code, says }) => {
    await using world = await openWorld()
    const reply = await world.request("POST", `${clock}/${wish}`)
    expect({ code: reply.code, says: reply.json?.message ?? reply.text.trim() }).toEqual({ code, says })
    expect(secondsAt((await world.request("GET", clock)).json)).toBe(0)
  })

  it("is asked with GET and moved with POST, by those who know the token", async () => {
    await using world = await openWorld()
    expect((await world.request("POST", clock)).code).toBe(405)
    expect((await world.request("GET", `${clock}/step`)).code).toBe(405)
    expect((await fetch(`${world.url}${clock}`)).status).toBe(401)
  })
})
