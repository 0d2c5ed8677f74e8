import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { openServedPage, token } from "./servedPage.ts"
import type { IncomingHttpHeaders } from "node:http"

interface Reply {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: number
  readonly text: string
}

const ask = (
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET"
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const body = Buffer.concat(chunks)
        const { statusCode: code = 0 } = response
        resolve({ code, headers: response.headers, bytes: body.length, text: body.toString() })
      })
    })
    outgoing.on("error", reject)
    outgoing.end()
  })

const files = [
  "",
  "page.js",
  "page.css",
  ...["deployment", "replicaSet", "pod", "container", "node"].map((name) => `charts/${name}.svg`)
].map((name) => `/charthouse/${name}`)
const acceptGzip = { "accept-encoding": "gzip" }
const bearer = { authorization: `Bearer ${token}` }

describe("the page's files", () => {
  it("need no token, forbid foreign scripts, and are less than 500 KB in all", async () => {
    const { port, close } = await openServedPage()
    const replies = await Promise.all(files.map((path) => ask(port, path, acceptGzip)))
    await close()
    expect(replies.map(({ code }) => code)).toEqual(files.map(() => 200))
    for (const { headers } of replies) {
      const policy = String(headers["content-security-policy"])
      expect(policy).toContain("script-src 'self'")
      expect(policy).not.toContain("unsafe")
      expect(headers["x-content-type-options"]).toBe("nosniff")
    }
    expect(replies.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(500 * 1024)
  })

  /** The bytes of a script, compressed, with those that it imports; with `all`, also those that it loads later. */
  const scriptBytes = async (port: number, all: boolean): Promise<number> => {
    const imports = all ? /"\.\/(page-\w+\.js)"/g : /(?:from|import)"\.\/(page-\w+\.js)"/g
    let bytes = 0
    const seen = new Set<string>()
    const follow = async (name: string): Promise<void> => {
      if (seen.has(name)) return
      seen.add(name)
      const [script, compressed] = [
        await ask(port, `/charthouse/${name}`),
        await ask(port, `/charthouse/${name}`, acceptGzip)
      ]
      expect(script.code).toBe(200)
      bytes += compressed.bytes
      for (const [, imported = ""] of script.text.matchAll(imports)) await follow(imported)
    }
    await follow("page.js")
    return bytes
  }

  it("begin with at most 90 KB of script, compressed, and are at most 150 KB with all that follows", async () => {
    const { port, close } = await openServedPage()
    // A browser draws the first view when it has these. The others are loaded after it is drawn.
    const [first, all] = [await scriptBytes(port, false), await scriptBytes(port, true)]
    await close()
    expect(first).toBeGreaterThan(20 * 1024)
    expect(first).toBeLessThan(90 * 1024)
    expect(all).toBeGreaterThan(first)
    expect(all).toBeLessThan(150 * 1024)
  })

  it.each([
    {
      why: "a request for another host name",
      path: "/charthouse/",
      headers: { host: "evil.example" },
      code: 403
    },
    {
      why: "a request from another origin",
      path: "/charthouse/",
      headers: { origin: "https://evil.example" },
      code: 403
    },
    { why: "data without the token", path: "/api/v1/pods", headers: {}, code: 401 },
    { why: "data by a path with .. in it", path: "/charthouse/../api/v1/pods", headers: {}, code: 401 },
    { why: "steps without the token", path: "/charthouse/v1/actors", headers: {}, code: 401 },
    { why: "a file outside the page", path: "/charthouse/../package.json", headers: {}, code: 401 },
    { why: "an unknown chart", path: "/charthouse/charts/x.svg", headers: bearer, code: 404 }
  ])("are all that is served without a token: $why gets $code", async ({ path, headers, code }) => {
    const { port, close } = await openServedPage()
    const reply = await ask(port, path, headers)
    await close()
    expect(reply.code).toBe(code)
  })

  it("are read-only", async () => {
    const { port, close } = await openServedPage()
    const [head, written] = [
      await ask(port, "/charthouse/", {}, "HEAD"),
      await ask(port, "/charthouse/", {}, "POST")
    ]
    await close()
    expect([head.code, head.bytes, written.code]).toEqual([200, 0, 405])
  })

  it("are served by plain HTTP on this machine beside a TLS API, with the API at the same address", async () => {
    const { address, port, close } = await openServedPage({ tls: true })
    const [page, pods] = [await ask(port, "/charthouse/"), await ask(port, "/api/v1/pods", bearer)]
    await close()
    expect(address).toBe(`http://127.0.0.1:${port}/charthouse/#token=${token}`)
    expect([page.code, pods.code]).toEqual([200, 200])
    await expect(ask(port, "/charthouse/")).rejects.toThrow("ECONNREFUSED")
  })
})
