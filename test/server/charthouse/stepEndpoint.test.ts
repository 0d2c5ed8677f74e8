import { describe, expect, it } from "vitest"
import { deploymentManifest } from "../../cluster/testCluster.ts"
import { openTestServer } from "../testServer.ts"
import type { TestServer } from "../testServer.ts"

const why = "/charthouse/v1/why"
const actors = "/charthouse/v1/actors"
const deployments = "/apis/apps/v1/namespaces/default/deployments"

const withWeb = async (): Promise<TestServer> => {
  const server = await openTestServer({ behaviour: "steady", why: true })
  await server.request("POST", deployments, { body: deploymentManifest({ replicas: 2 }) })
  await server.request("POST", "/charthouse/v1/clock/settle")
  return server
}

const linesOf = (text: string): ReadonlyArray<{ readonly number: number; readonly kind: string }> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { readonly number: number; readonly kind: string })

describe("the step endpoint", () => {
  it("answers with one step per line, oldest first, after a given number", async () => {
    await using world = await withWeb()
    const { code, text, headers } = await world.request("GET", `${why}?kind=Deployment&name=web`)
    expect([code, headers["content-type"]]).toEqual([200, "application/x-ndjson"])
    const steps = linesOf(text)
    expect(steps.length).toBeGreaterThan(3)
    const second = steps[1]?.number ?? 0
    const { text: later } = await world.request(
      "GET",
      `${why}?kind=Deployment&namespace=default&name=web&since=${second}`
    )
    expect(linesOf(later)).toEqual(steps.slice(2))
  })

  it("with watch continues with each step once its writes are known", async () => {
    await using world = await withWeb()
    const { text } = await world.request("GET", `${why}?kind=Deployment&name=web`)
    const last = linesOf(text).at(-1)?.number ?? 0
    const watching = await world.watch(`${why}?kind=Deployment&name=web&since=${last}&watch=1`)
    const patch = { spec: { replicas: 3 } }
    const headers = { "content-type": "application/merge-patch+json" }
    await world.request("PATCH", `${deployments}/web`, { body: patch, headers })
    const [step] = await watching.next(1)
    expect(step).toMatchObject({
      kind: "Deployment",
      to: expect.arrayContaining(["rollout.scaling"]),
      because: { resource: "deployments.apps", key: "default/web" },
      writes: [
        { verb: "update", resource: "replicasets.apps" },
        { verb: "status", resource: "deployments.apps" }
      ]
    })
    watching.close()
  })

  it("lists all actors with their states", async () => {
    await using world = await withWeb()
    const { json } = await world.request("GET", actors)
    const kinds = json.items.map(({ kind }: { readonly kind: string }) => kind)
    expect(kinds.filter((kind: string) => kind === "Pod")).toHaveLength(2)
    expect(kinds.filter((kind: string) => kind === "Container")).toHaveLength(2)
    const web = json.items.find(({ name }: { readonly name: string }) => name === "web")
    expect(web).toMatchObject({
      kind: "Deployment",
      namespace: "default",
      chart: "deployment",
      states: ["rollout.complete", "progress.complete", "check.ahead", "availability.available"],
      tags: [],
      moving: false
    })
  })

  it("answers 401 without the token", async () => {
    await using world = await withWeb()
    for (const path of [`${why}?kind=Deployment&name=web`, actors]) {
      const { code, json } = await world.request("GET", path, { headers: { authorization: "Bearer wrong" } })
      expect([code, json.reason]).toEqual([401, "Unauthorized"])
    }
  })

  it.each([
    { query: "", code: 400, message: "kind: Required value" },
    { query: "?kind=Deployment", code: 400, message: "name: Required value" },
    {
      query: "?kind=Secret&name=web",
      code: 400,
      message:
        'kind: Unsupported value: "Secret": supported values: "Deployment", "Steering", "ReplicaSet", "StatefulSet", ' +
        '"DaemonSet", "Job", "CronJob", "HorizontalPodAutoscaler", "Pod", "Container", "Node"'
    },
    {
      query: "?kind=Deployment&name=web&since=-1",
      code: 400,
      message: "since: Invalid value: -1: must be the number of a step"
    },
    {
      query: "?kind=Deployment&name=web&since=x",
      code: 400,
      message: 'strconv.ParseInt: parsing "x": invalid syntax'
    },
    {
      query: "?kind=Deployment&name=%3Cb%3E",
      code: 404,
      message: 'no statechart runs for Deployment "<b>" in namespace "default", and none did recently'
    },
    {
      query: "?kind=Node&name=node-77&watch=1",
      code: 404,
      message: 'no statechart runs for Node "node-77", and none did recently'
    }
  ])("refuses $query", async ({ query, code, message }) => {
    await using world = await withWeb()
    const { json } = await world.request("GET", `${why}${query}`)
    expect(json).toMatchObject({ kind: "Status", status: "Failure", code, message })
  })

  it("refuses other methods than GET", async () => {
    await using world = await openTestServer()
    const { code } = await world.request("POST", `${why}?kind=Node&name=node-1`)
    expect(code).toBe(405)
    expect((await world.request("DELETE", actors)).code).toBe(405)
  })
})
