import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { openPageWorld, token } from "./world.ts"
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
const zipped = { "accept-encoding": "gzip" }
const bearer = { authorization: `Bearer ${token}` }

describe("the page's files", () => {
  it("come without a token, may run no script but their own, and are 500 KB at the most altogether", async () => {
    const { port, close } = await openPageWorld()
    const replies = await Promise.all(files.map((path) => ask(port, path, zipped)))
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

  it.each([
    {
      why: "a website that gave itself a name",
      path: "/charthouse/",
      headers: { host: "evil.example" },
      code: 403
    },
    {
      why: "a page of another site",
      path: "/charthouse/",
      headers: { origin: "https://evil.example" },
      code: 403
    },
    { why: "data without the token", path: "/api/v1/pods", headers: {}, code: 401 },
    { why: "data behind a detour", path: "/charthouse/../api/v1/pods", headers: {}, code: 401 },
    { why: "steps without the token", path: "/charthouse/v1/actors", headers: {}, code: 401 },
    { why: "a file that is none of the page's", path: "/charthouse/../package.json", headers: {}, code: 401 },
    { why: "a chart that is unknown", path: "/charthouse/charts/x.svg", headers: bearer, code: 404 }
  ])("are all that is open to everybody: $why is answered with $code", async ({ path, headers, code }) => {
    const { port, close } = await openPageWorld()
    const reply = await ask(port, path, headers)
    await close()
    expect(reply.code).toBe(code)
  })

  it("are only read", async () => {
    const { port, close } = await openPageWorld()
    const [head, written] = [
      await ask(port, "/charthouse/", {}, "HEAD"),
      await ask(port, "/charthouse/", {}, "POST")
    ]
    await close()
    expect([head.code, head.bytes, written.code]).toEqual([200, 0, 405])
  })

  it("come by plain HTTP to this machine where the API speaks TLS, and the API with them", async () => {
    const { address, port, close } = await openPageWorld({ tls: true })
    const [page, pods] = [await ask(port, "/charthouse/"), await ask(port, "/api/v1/pods", bearer)]
    await close()
    expect(address).toBe(`http://127.0.0.1:${port}/charthouse/#token=${token}`)
    expect([page.code, pods.code]).toEqual([200, 200])
    await expect(ask(port, "/charthouse/")).rejects.toThrow("ECONNREFUSED")
  })
})
