import * as Effect from "effect/Effect"
import { connect } from "node:net"
import { describe, expect, it } from "vitest"
import { makeMemoryStore } from "../../../src/store/memoryStore.ts"
import { letThrough } from "../../../src/server/traffic/interceptors.ts"
import { makeRequestLog } from "../../../src/server/traffic/makeRequestLog.ts"
import { startApiServer } from "../../../src/server/apiServer.ts"
import { sendRaw, stuckWatch } from "../http/rawRequest.ts"
import { withTestServer, openTestServer, token } from "../testServer.ts"
import { makeObservers } from "../../../src/runtime/observers.ts"
import type { ApiServerLimits } from "../../../src/server/apiServer.ts"
import type { Interceptors } from "../../../src/server/traffic/interceptors.ts"
import type { RequestLogAndInterceptors } from "../../../src/server/requestHandler.ts"
import type { ClockOperations } from "../../../src/server/charthouse/clockEndpoint.ts"

const mebibyte = 1024 * 1024
const configMaps = "/api/v1/namespaces/default/configmaps"
const head = (port: number): string => `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`
const named = (name: string, data = {}) => ({ metadata: { name }, data })

/** The paths that upstream's role `system:public-info-viewer` allows. */
const open = ["/healthz", "/livez", "/readyz", "/readyz?verbose", "/version", "/version/"]
const closed = [
  "/livez/ping",
  "/healthz/",
  "/versions",
  "//version",
  "/version/../api",
  "/%76ersion",
  "/",
  "/api",
  "/apis",
  "/openapi/v2",
  "/metrics",
  "/charthouse/v1/clock",
  "/api/v1/namespaces"
]

describe("access to the server", () => {
  it("is on the loopback address by default", () =>
    withTestServer(async ({ url }) => expect(new URL(url).hostname).toBe("127.0.0.1")))

  it.each([
    { authorization: "", code: 401, why: "no token" },
    { authorization: `Bearer ${token}x`, code: 401, why: "a longer token" },
    { authorization: `Bearer ${token.slice(1)}`, code: 401, why: "a part of the token" },
    { authorization: `Basic ${token}`, code: 401, why: "another scheme" },
    { authorization: `bearer ${token}`, code: 200, why: "the scheme in lower case" }
  ])("with $why gets $code", ({ authorization, code }) =>
    withTestServer(async ({ request }) => {
      const answer = await request("GET", "/api", { headers: { authorization } })
      expect(answer.code).toBe(code)
      if (code === 401) expect(answer.json).toMatchObject({ kind: "Status", reason: "Unauthorized", code })
    })
  )

  it("without a token is limited to health and version", () =>
    withTestServer(async ({ request }) => {
      const codesOf = async (authorization: string, method = "GET") => {
        const codes: Record<string, number> = {}
        for (const path of [...open, ...closed]) {
          codes[path] = (await request(method, path, { headers: { authorization } })).code
        }
        return codes
      }
      const allOf = (paths: ReadonlyArray<string>, code: number) =>
        Object.fromEntries(paths.map((path) => [path, code]))
      for (const authorization of ["", "Bearer", "Basic abc"]) {
        const codes = { ...allOf(open, 200), ...allOf(closed, 401) }
        expect({ authorization, codes: await codesOf(authorization) }).toEqual({ authorization, codes })
      }
      for (const refused of [await codesOf(`Bearer ${token}x`), await codesOf("", "POST")]) {
        expect(refused).toEqual(allOf([...open, ...closed], 401))
      }
    }))

  it.each([
    { headers: { host: "elsewhere.example" }, code: 403, why: "a foreign Host" },
    {
      headers: { host: "127.0.0.1.elsewhere.example" },
      code: 403,
      why: "a Host that begins with the server's address"
    },
    { headers: { host: "LOCALHOST:1" }, code: 200, why: "localhost in capitals" },
    { headers: { origin: "https://elsewhere.example" }, code: 403, why: "a foreign Origin" },
    { headers: { origin: "null" }, code: 403, why: "Origin null" },
    { headers: { origin: "http://localhost:9000" }, code: 200, why: "an Origin on this machine" }
  ])("by host or page gets $code: $why", ({ headers, code }) =>
    withTestServer(async ({ request }) =>
      expect(await request("GET", "/version", { headers })).toMatchObject({ code })
    )
  )

  it("is refused with two Host headers", () =>
    withTestServer(async ({ port }) => {
      const answer = await sendRaw(port, `GET /version HTTP/1.1\r\n${head(port)}Host: 127.0.0.1\r\n\r\n`)
      expect([400, 403]).toContain(answer.code)
    }))
})

describe("a request body", () => {
  it.each([
    { bytes: 3 * mebibyte, code: 201, why: "the limit" },
    { bytes: 3 * mebibyte + 1, code: 413, why: "one byte over the limit" },
    {
      bytes: 9 * mebibyte,
      code: 413,
      why: "far over the limit, yet read to its end so that the client reads the answer"
    }
  ])("of $bytes bytes gets $code: $why", ({ bytes, code }) =>
    withTestServer(async ({ request }) => {
      const body = JSON.stringify(named("big")).padEnd(bytes)
      const answer = await request("POST", configMaps, {
        body,
        headers: { "content-type": "application/json" }
      })
      expect(answer.code).toBe(code)
      if (code === 413) {
        expect(answer.json).toMatchObject({
          reason: "RequestEntityTooLarge",
          message: "Request entity too large: limit is 3145728"
        })
      }
      expect(await request("GET", "/version")).toMatchObject({ code: 200 })
    })
  )

  it("with too large a Content-Length is refused before it is sent", () =>
    withTestServer(async ({ port }) => {
      const start = `POST ${configMaps} HTTP/1.1\r\n${head(port)}Content-Length: ${9 * mebibyte}\r\n\r\n{`
      expect(await sendRaw(port, start)).toMatchObject({ code: 413 })
    }))

  it("with Expect: 100-continue is requested only when it will be read", () =>
    withTestServer(async ({ port }) => {
      const start = (bytes: number, more = head(port)): string =>
        `POST ${configMaps} HTTP/1.1\r\n${more}Expect: 100-continue\r\nContent-Length: ${bytes}\r\n\r\n`
      expect((await sendRaw(port, start(9 * mebibyte))).codes).toEqual([413])
      expect((await sendRaw(port, start(2, `Host: 127.0.0.1:${port}\r\n`))).codes).toEqual([401])
      expect((await sendRaw(port, [start(2), "{}"])).codes).toEqual([100, 422])
    }))

  it("that is cut off leaves the server working", () =>
    withTestServer(async ({ port, request }) => {
      const start = `POST ${configMaps} HTTP/1.1\r\n${head(port)}Transfer-Encoding: chunked\r\n\r\n9\r\n{"meta`
      await sendRaw(port, start, { hangsUp: true })
      expect(await request("GET", configMaps)).toMatchObject({ code: 200 })
    }))

  it.each([
    { type: "application/json", body: "[".repeat(100_000), why: "unclosed nested lists" },
    {
      type: "application/json",
      body: `${'{"a":'.repeat(251)}1${"}".repeat(251)}`,
      why: "one level too deep"
    },
    { type: "application/yaml", body: "[".repeat(100_000), why: "nested YAML lists" },
    { type: "application/yaml", body: `${"- ".repeat(50_000)}a`, why: "nested YAML lists on one line" },
    { type: "application/yaml", body: `${"? ".repeat(50_000)}a`, why: "nested YAML keys" },
    { type: "application/yaml", body: `a: ${"!!str ".repeat(50_000)}`, why: "repeated YAML tags" },
    { type: "application/yaml", body: bomb(), why: "nested YAML aliases" },
    {
      type: "application/merge-patch+json",
      body: `${'{"a":'.repeat(300)}1${"}".repeat(300)}`,
      why: "a deep patch"
    }
  ])("is refused with 400 at once: $why", ({ type, body }) =>
    withTestServer(async ({ request }) => {
      const [method, path] = type.includes("patch")
        ? ["PATCH", `${configMaps}/kube-root-ca.crt`]
        : ["POST", configMaps]
      const answer = await request(method, path, { body, headers: { "content-type": type } })
      expect(answer).toMatchObject({ code: 400, json: { reason: "BadRequest" } })
    })
  )

  it("may have 200 levels", () =>
    withTestServer(async ({ request }) => {
      const deep = `${'{"a":'.repeat(200)}1${"}".repeat(200)}`
      const answer = await request("POST", `${configMaps}?fieldValidation=Ignore`, {
        body: `{"metadata":{"name":"deep"},"more":${deep}}`,
        headers: { "content-type": "application/json" }
      })
      expect(answer.code).toBe(201)
    }))

  it("with __proto__ changes no prototype", () =>
    withTestServer(async ({ request }) => {
      const type = { "content-type": "application/json" }
      const body =
        '{"metadata":{"name":"p","labels":{"__proto__":"x"}},"data":{"__proto__":"y"},"__proto__":{"z":1}}'
      expect((await request("POST", configMaps, { body, headers: type })).code).toBeLessThan(500)
      const patches = [
        ["application/merge-patch+json", '{"metadata":{"__proto__":{"z":1}}}', 200],
        ["application/merge-patch+json", '{"__proto__":{"z":1}}', 200],
        ["application/strategic-merge-patch+json", '{"metadata":{"constructor":{"prototype":{"z":1}}}}', 200],
        ["application/json-patch+json", '[{"op":"add","path":"/metadata/__proto__/z","value":1}]', 422],
        ["application/json-patch+json", '[{"op":"add","path":"/__proto__","value":{"z":1}}]', 422],
        ["constructor", "{}", 415]
      ] as const
      for (const [contentType, patch, code] of patches) {
        const answer = await request("PATCH", `${configMaps}/kube-root-ca.crt`, {
          body: patch,
          headers: { "content-type": contentType }
        })
        expect(answer.code).toBe(code)
        expect(answer.text).not.toContain('"z"')
      }
      expect({}).not.toHaveProperty("z")
    }))

  it("is limited to 10,000 operations of a JSON patch", () =>
    withTestServer(async ({ request }) => {
      const body = Array.from({ length: 10_001 }, () => ({ op: "test", path: "/kind", value: "ConfigMap" }))
      const headers = { "content-type": "application/json-patch+json" }
      expect(await request("PATCH", `${configMaps}/kube-root-ca.crt`, { body, headers })).toMatchObject({
        code: 413
      })
    }))
})

describe("a malformed request", () => {
  it.each([
    { text: "CONNECT elsewhere.example:443 HTTP/1.1\r\nHOST\r\n", codes: [405], why: "CONNECT" },
    { text: "TRACE /api HTTP/1.1\r\nHOST\r\n", codes: [405], why: "TRACE" },
    { text: "OPTIONS /api/v1/pods HTTP/1.1\r\nHOST\r\n", codes: [405], why: "OPTIONS" },
    {
      text: "GET /api HTTP/1.1\r\nHOSTContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      codes: [400],
      why: "two lengths"
    },
    { text: `GET /${"x".repeat(40_000)} HTTP/1.1\r\nHOST\r\n`, codes: [431], why: "too long a URL" },
    {
      text: "GET /api HTTP/1.1\r\nHOSTExpect: a miracle\r\n\r\n",
      codes: [417],
      why: "an unknown Expect"
    },
    { text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", codes: [400, 505, 0], why: "another protocol" },
    {
      text: "GET /api/v1/namespaces/default/pods/a%00b HTTP/1.1\r\nHOST\r\n",
      codes: [404],
      why: "a zero byte in the path"
    },
    { text: "GET /api/v1/%zz HTTP/1.1\r\nHOST\r\n", codes: [400], why: "an invalid escape" }
  ])("is refused, and the next request is served: $why", ({ text, codes }) =>
    withTestServer(async ({ port, request }) => {
      expect(codes).toContain((await sendRaw(port, text.replace("HOST", head(port)))).code)
      expect(await request("GET", "/version")).toMatchObject({ code: 200 })
    })
  )

  it("may be pipelined between others", () =>
    withTestServer(async ({ port }) => {
      const good = `GET /version HTTP/1.1\r\n${head(port)}\r\n`
      const { codes } = await sendRaw(port, `${good}${good.replace("/version", "/nowhere")}${good}`, {
        answers: 3
      })
      expect(codes).toEqual([200, 404, 200])
    }))
})

describe("the limit of", () => {
  it("time for headers closes the connection with 408", async () => {
    await using server = await serveWith({ headerLimitMillis: 60, requestLimitMillis: 120 })
    const slow = await sendRaw(server.port, "GET /version HTTP/1.1\r\nHost:", { waitMillis: 5000 })
    expect(slow.codes).toEqual([408])
  })

  it("time for a body closes the connection with 408, even half open and with the token", async () => {
    await using server = await serveWith({ headerLimitMillis: 60, requestLimitMillis: 120, lingerMillis: 10 })
    const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true })
    const closed = new Promise((resolve) => socket.once("close", resolve))
    let text = ""
    socket.on("data", (chunk) => (text += chunk.toString()))
    // The write after the connection has been closed fails.
    socket.on("error", () => {})
    socket.write(`POST ${configMaps} HTTP/1.1\r\n${head(server.port)}Content-Length: ${mebibyte}\r\n\r\n`)
    const dribble = (): void => {
      if (socket.writable) socket.write(" ", () => setImmediate(dribble))
    }
    socket.once("end", dribble)
    await closed
    expect(text).toMatch(/^HTTP\/1.1 408 /)
    expect(socket.bytesWritten).toBeLessThan(mebibyte)
  })

  it("streams refuses a further watch with 429, until others have ended", async () => {
    await using server = await serveWith({ streamsMax: 2 })
    const path = "/api/v1/configmaps?watch=1"
    const watch = async () => fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
    const open = [await watch(), await watch()]
    const refused = await watch()
    expect({
      code: refused.status,
      after: refused.headers.get("retry-after"),
      body: await refused.json()
    }).toMatchObject({
      code: 429,
      after: "1",
      body: { reason: "TooManyRequests", details: { retryAfterSeconds: 1 } }
    })
    for (const { body } of open) await body?.cancel()
    let again = await watch()
    while (again.status === 429) again = await watch()
    expect(again.status).toBe(200)
    await again.body?.cancel()
  })

  it("streams does not count a client that left before its stream began", async () => {
    let requestCount = 0
    const interceptors: Interceptors = {
      add: () => () => {},
      count: () => 1,
      decide: async (_request, { signal }) => {
        requestCount += 1
        if (requestCount <= 3) await new Promise((resolve) => signal.addEventListener("abort", resolve))
        return letThrough
      }
    }
    await using server = await serveWith({ streamsMax: 2 }, { interceptors, requests: makeRequestLog() })
    const watch = async (signal?: AbortSignal) =>
      fetch(`${server.url}/api/v1/configmaps?watch=1`, {
        headers: { authorization: `Bearer ${token}` },
        ...(signal === undefined ? {} : { signal })
      })
    const leaving = [1, 2, 3].map(() => new AbortController())
    const left = leaving.map(({ signal }) => watch(signal).catch(() => "left"))
    while (requestCount < leaving.length) await new Promise((resolve) => setImmediate(resolve))
    for (const client of leaving) client.abort()
    expect(await Promise.all(left)).toEqual(["left", "left", "left"])
    const open = [await watch(), await watch()]
    expect(open.map(({ status }) => status)).toEqual([200, 200])
    for (const { body } of open) await body?.cancel()
  })

  it("unread output ends a slow watch with 410, while a fast one gets everything", async () => {
    await using world = await openTestServer()
    const slow = await stuckWatch(world.port, token)
    const quick = await world.watch("/api/v1/configmaps?watch=1&resourceVersion=1")
    const data = { a: "x".repeat(mebibyte) }
    for (let turn = 0; turn < 24; turn += 1) {
      const answer = await world.request("POST", configMaps, { body: named(`c${turn}`, data) })
      expect(answer.code).toBe(201)
    }
    // Begins to read now: an ended stream that is not read is destroyed after some seconds.
    const slowText = slow.rest()
    const isLast = ({
      object
    }: {
      readonly object: { readonly metadata: { readonly name?: string } }
    }): boolean => object.metadata.name === "c23"
    while (!quick.lines.some(isLast)) await quick.next(1)
    expect(await slowText).toMatch(/"type":"ERROR".*"code":410/)
    quick.close()
  })
})

function bomb(): string {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
  const line = (name: string, index: number): string =>
    `${name}: &${name} [${Array.from({ length: 9 }, () => (index === 0 ? "x" : `*${names[index - 1]}`)).join(",")}]`
  return names.map(line).join("\n")
}

const stoppedClock: ClockOperations = {
  state: () => ({ now: "1970-01-01T00:00:00.000Z", speed: 0 }),
  advance: () => Effect.void,
  step: Effect.succeed(false),
  settle: () => Effect.succeed(true),
  pause: Effect.void,
  resume: Effect.void,
  setSpeed: () => Effect.void
}

const serveWith = async (limits: Partial<ApiServerLimits>, traffic?: RequestLogAndInterceptors) => {
  const { store, view, close } = makeMemoryStore({ nowMillis: () => 0, seed: 1 })
  const server = await startApiServer({
    services: { store, view, nowMillis: () => 0 },
    clock: stoppedClock,
    faults: { nowMillis: () => 0, begin: () => Effect.never, active: () => [] },
    snapshot: Effect.succeed("{}"),
    forecast: () => Effect.succeed({}),
    stepOperations: Effect.never,
    recording: Effect.never,
    queueMeters: () => new Map(),
    observers: makeObservers(),
    runOnTimeline: Effect.runSyncExit,
    host: "127.0.0.1",
    port: 0,
    token,
    certificates: undefined,
    traffic,
    limits
  })
  const dispose = async (): Promise<void> => {
    await server.close()
    close()
  }
  return { url: server.url, port: Number(new URL(server.url).port), [Symbol.asyncDispose]: dispose }
}
