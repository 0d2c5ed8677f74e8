import fc from "fast-check"
import { Agent, request } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { hostileRequests, type Hostile } from "./hostile.ts"
import { isStrange, type Answered } from "./strange.ts"
import { sendRaw } from "./raw.ts"
import { openWorld, token, type World } from "./world.ts"

const seed = 20_261_121
const requests = 20_000
const atOnce = 24
/** What the store may have grown by: its history and the objects that were meant. */
const growthMaxBytes = 96 * 1024 * 1024

describe("a server that is sent tens of thousands of hostile requests", () => {
  it("answers each in the words of Kubernetes, forgets them, and serves the next good one", async () => {
    await using world = await openWorld({ podsMax: 40, nodes: 1 })
    const watching = await world.watch("/api/v1/configmaps?watch=1&allowWatchBookmarks=true")
    const all = fc.sample(hostileRequests, { seed, numRuns: requests })
    const warmUp = all.slice(0, requests / 10)
    const strange = await sendAll(world, warmUp)
    const before = heapUsed()
    strange.push(...(await sendAll(world, all.slice(warmUp.length))))
    expect(strange.slice(0, 5)).toEqual([])
    expect(heapUsed() - before).toBeLessThan(growthMaxBytes)

    const body = { metadata: { name: "the-next-good-one" }, data: { a: "1" } }
    const made = await world.request("POST", "/api/v1/namespaces/default/configmaps", { body })
    expect(made).toMatchObject({ code: 201, json: { metadata: body.metadata } })
    const isSeen = (line: { readonly object: { readonly metadata: { readonly name?: string } } }): boolean =>
      line.object.metadata.name === "the-next-good-one"
    while (!watching.lines.some(isSeen)) await watching.next(1)
    expect(new Set(watching.lines.map(({ type }) => type)).has("ERROR")).toBe(false)
    expect({}).not.toHaveProperty("polluted")
    watching.close()
    agent.destroy()
  })
})

/** Sends them all, some at a time; answers with what no server should have said. */
const sendAll = async (world: World, all: ReadonlyArray<Hostile>): Promise<Array<object>> => {
  const strange: Array<object> = []
  const pending = all.values()
  const work = async (): Promise<void> => {
    for (const hostile of pending) {
      const answer = await sendOne(world, hostile)
      if (isStrange(answer)) strange.push({ ...hostile, ...answer })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return strange
}

/** A request that Node itself would not send goes over a connection of its own. */
const sendOne = async (world: World, hostile: Hostile): Promise<Answered> => {
  if (hostile.type === "http") return sendHttp(world.port, hostile)
  const text = hostile.text.replaceAll("TOKEN", token).replaceAll("PORT", String(world.port))
  return sendRaw(world.port, text, { waitMillis: 400, hangsUp: hostile.hangsUp })
}

const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

/** Sends a request, and hangs up on a stream as soon as it has begun. */
const sendHttp = (port: number, hostile: Hostile & { readonly type: "http" }): Promise<Answered> =>
  new Promise((resolve) => {
    const { method, path, body } = hostile
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
    const headers = { ...hostile.headers, ...length, authorization: `Bearer ${token}` }
    const nothing = (): void => resolve({ code: 0, text: "" })
    try {
      const outgoing = request({ host: "127.0.0.1", port, agent, method, path, headers })
      outgoing.setTimeout(5000, () => {
        resolve({ code: 599, text: "nothing came back" })
        outgoing.destroy()
      })
      outgoing.on("error", nothing)
      outgoing.on("response", (response) => {
        const { statusCode: code = 0 } = response
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", nothing)
        response.on("close", () => resolve({ code, text: Buffer.concat(chunks).toString() }))
        if (response.headers["transfer-encoding"] === "chunked") outgoing.destroy()
      })
      outgoing.end(body)
    } catch {
      // Node does not send such a path.
      nothing()
    }
  })

const heapUsed = (): number => {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  if (typeof collect === "function") collect()
  return process.memoryUsage().heapUsed
}
