import { connect } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aConfigMap } from "../apiObjects.ts"
import { openTestServer, token } from "../testServer.ts"
import type { TestServer } from "../testServer.ts"

let server: TestServer
const configMaps = "/api/v1/namespaces/default/configmaps"
beforeAll(async () => {
  server = await openTestServer()
  for (const name of ["a", "b"])
    await server.request("POST", configMaps, { body: aConfigMap(name, { text: "naïve ✓" }) })
})
afterAll(() => server.close())

/** What a client reads, piece by piece, until the server closes the connection. */
const piecesRead = (method: string, path: string): Promise<ReadonlyArray<Buffer>> =>
  new Promise((resolve, reject) => {
    const pieces: Array<Buffer> = []
    const socket = connect(server.port, "127.0.0.1")
    socket.on("data", (piece) => pieces.push(piece))
    socket.on("error", reject)
    socket.on("close", () => resolve(pieces))
    const head = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", `Authorization: Bearer ${token}`]
    socket.write([...head, "Connection: close", "", ""].join("\r\n"))
  })

describe("an answer reaches the client in one piece", () => {
  it.each([
    { why: "an object", method: "GET", path: `${configMaps}/a` },
    { why: "a list", method: "GET", path: configMaps },
    { why: "no body", method: "HEAD", path: configMaps },
    { why: "an error", method: "GET", path: `${configMaps}/missing` },
    { why: "a document", method: "GET", path: "/version" }
  ])("with $why", async ({ method, path }) => {
    const pieces = await piecesRead(method, path)
    expect(pieces).toHaveLength(1)
    const [head = "", body] = String(pieces[0]).split("\r\n\r\n")
    const length = Number(/^content-length: (\d+)$/m.exec(head)?.[1])
    expect(Buffer.byteLength(body ?? "")).toBe(method === "HEAD" ? 0 : length)
  })
})
