import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { openTestServer, type TestServer } from "../testServer.ts"

const clock = "/charthouse/v1/clock"
const deployments = "/apis/apps/v1/namespaces/default/deployments"
const startMillis = Date.UTC(2026, 0, 1)

const secondsAt = ({ now }: { readonly now: string }): number => (Date.parse(now) - startMillis) / 1000

const post = async (server: TestServer, wish: string) =>
  (await server.request("POST", `${clock}/${wish}`)).json

describe("the clock endpoint", () => {
  it("advances a rollout past its progress deadline between two requests", async () => {
    await using server = await openTestServer({ behaviour: "steady" })
    const stuck = deploymentManifest({
      container: { image: "registry.example/app:v1" },
      spec: { paused: false }
    })
    const body = { ...stuck, spec: { ...stuck.spec, minReadySeconds: 500, progressDeadlineSeconds: 501 } }
    await server.request("POST", deployments, { body: { ...body, spec: { ...body.spec, replicas: 1 } } })
    const conditionOf = async () => {
      const { json } = await server.request("GET", `${deployments}/web`)
      return json.status.conditions?.find(({ type }: { readonly type: string }) => type === "Available")
        ?.status
    }
    expect(await conditionOf()).toBe("False")
    expect(secondsAt(await post(server, "advance?by=10m"))).toBe(600)
    expect(await conditionOf()).toBe("True")
  })

  it("answers an advance after the changes have been written to all watches", async () => {
    await using server = await openTestServer({ behaviour: "steady" })
    const watching = await server.watch(`/api/v1/namespaces/default/pods?watch=1`)
    await server.request("POST", deployments, { body: deploymentManifest({ replicas: 2 }) })
    await post(server, "advance?by=1m")
    // Watch and answer use different sockets: the next answer comes after the watch has been read.
    await server.request("GET", clock)
    const phases = watching.lines.map(({ object }) => object.status.phase)
    expect(phases.at(-1)).toBe("Running")
    watching.close()
  })

  it("steps, settles, and answers with the outcome", async () => {
    await using server = await openTestServer({ behaviour: "steady" })
    await server.request("POST", deployments, { body: deploymentManifest({ replicas: 2 }) })
    const { json: before } = await server.request("GET", clock)
    expect(before).toMatchObject({ speed: 0 })
    expect(secondsAt(before)).toBe(0)
    expect(await post(server, "step")).toMatchObject({ now: before.next, stepped: true })
    expect(await post(server, "settle?limit=1h")).toMatchObject({ settled: true })
  })

  it("sets a speed, pauses and resumes", async () => {
    await using server = await openTestServer()
    expect(await post(server, "speed?of=60x")).toMatchObject({ speed: 60 })
    const refused = await server.request("POST", `${clock}/advance?by=1m`)
    expect(refused.json).toMatchObject({
      kind: "Status",
      code: 409,
      reason: "Conflict",
      message: "only a clock that stands still can be advanced: a virtual one, or one that is paused"
    })
    expect(await post(server, "pause")).toMatchObject({ speed: 0 })
    expect(await post(server, "resume")).toMatchObject({ speed: 60 })
  })

  it("performs concurrent advances one after another", async () => {
    await using server = await openTestServer()
    const both = await Promise.all([post(server, "advance?by=10m"), post(server, "advance?by=10m")])
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
    await using world = await openTestServer()
    const reply = await world.request("POST", `${clock}/${wish}`)
    expect({ code: reply.code, says: reply.json?.message ?? reply.text.trim() }).toEqual({ code, says })
    expect(secondsAt((await world.request("GET", clock)).json)).toBe(0)
  })

  it("answers GET for its state and POST for its moves, only with the token", async () => {
    await using world = await openTestServer()
    expect((await world.request("POST", clock)).code).toBe(405)
    expect((await world.request("GET", `${clock}/step`)).code).toBe(405)
    expect((await fetch(`${world.url}${clock}`)).status).toBe(401)
  })
})
