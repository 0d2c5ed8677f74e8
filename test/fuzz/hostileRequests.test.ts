import fc from "fast-check"
import { Agent, request } from "node:http"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { hostileRequests, type HostileRequest } from "./hostileRequests.ts"
import { isUnexpectedAnswer, type ServerAnswer } from "./unexpectedAnswers.ts"
import { sendRaw } from "../server/http/rawRequest.ts"
import { openTestServer, token, type TestServer } from "../server/testServer.ts"

const seed = 20_261_121
const requests = 20_000
const atOnce = 24
/** Room for the store's history and the objects of valid requests. */
const growthMaxBytes = 96 * 1024 * 1024

describe("a server that receives 20,000 hostile requests", () => {
  it("answers each as Kubernetes does, frees their memory, and serves the next valid request", async () => {
    await using server = await openTestServer({ podsMax: 40, nodes: 1 })
    const watching = await server.watch("/api/v1/configmaps?watch=1&allowWatchBookmarks=true")
    const all = fc.sample(hostileRequests, { seed, numRuns: requests })
    const warmUp = all.slice(0, requests / 10)
    const unexpected = await sendAll(server, warmUp)
    const before = heapUsed()
    unexpected.push(...(await sendAll(server, all.slice(warmUp.length))))
    expect(unexpected.slice(0, 5)).toEqual([])
    expect(heapUsed() - before).toBeLessThan(growthMaxBytes)

    const body = { metadata: { name: "the-next-good-one" }, data: { a: "1" } }
    const made = await server.request("POST", "/api/v1/namespaces/default/configmaps", { body })
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

const sendAll = async (server: TestServer, all: ReadonlyArray<HostileRequest>): Promise<Array<object>> => {
  const unexpected: Array<object> = []
  const pending = all.values()
  const work = async (): Promise<void> => {
    for (const hostile of pending) {
      const answer = await sendOne(server, hostile)
      if (isUnexpectedAnswer(answer)) unexpected.push({ ...hostile, ...answer })
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return unexpected
}

/** Sends requests that Node's client refuses over a raw connection. */
const sendOne = async (server: TestServer, hostile: HostileRequest): Promise<ServerAnswer> => {
  if (hostile.type === "http") return sendHttp(server.port, hostile)
  const text = hostile.text.replaceAll("TOKEN", token).replaceAll("PORT", String(server.port))
  return sendRaw(server.port, text, { waitMillis: 400, hangsUp: hostile.hangsUp })
}

const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

/** Sends a request, and closes the connection as soon as a stream begins. */
const sendHttp = (port: number, hostile: HostileRequest & { readonly type: "http" }): Promise<ServerAnswer> =>
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
      let isAnswered = false
      outgoing.on("error", nothing)
      outgoing.on("close", () => isAnswered || nothing())
      outgoing.on("response", (response) => {
        isAnswered = true
        const { statusCode: code = 0 } = response
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", nothing)
        response.on("close", () => resolve({ code, text: Buffer.concat(chunks).toString() }))
        if (response.headers["transfer-encoding"] === "chunked") outgoing.destroy()
      })
      outgoing.end(body)
    } catch {
      // Node's client refuses this path.
      nothing()
    }
  })

const heapUsed = (): number => {
  setFlagsFromString("--expose-gc")
  const collect: unknown = runInNewContext("gc")
  if (typeof collect === "function") collect()
  return process.memoryUsage().heapUsed
}
