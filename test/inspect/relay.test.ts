import { request } from "node:http"
import { once } from "node:events"
import { connect as connectSocket } from "node:net"
import { afterEach, expect, test } from "vitest"
import { WebSocket } from "ws"
import { makeObserver } from "../../src/runtime/observers.ts"
import { openInspectorRelay } from "../../src/inspect/inspectorRelay.ts"
import type { ConnectionLimits } from "../../src/platform/sockets/connectionLimits.ts"
import type { InspectorRelay, InspectorViewer } from "../../src/inspect/inspectorRelay.ts"

const opened: Array<InspectorRelay> = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((relay) => relay.close()))
})

/** A relay, and how to await its next viewer; `left` resolves when that one has gone. */
const open = async (behindBytesMax?: number, limits: Partial<ConnectionLimits> = {}) => {
  let arrived: (viewer: { readonly viewer: InspectorViewer; readonly left: Promise<void> }) => void = () => {}
  const relay = await openInspectorRelay({
    observe: makeObserver("the relay"),
    port: 0,
    host: "127.0.0.1",
    limits,
    onViewer: (viewer) => {
      const left = Promise.withResolvers<void>()
      arrived({ viewer, left: left.promise })
      return left.resolve
    },
    ...(behindBytesMax === undefined ? {} : { behindBytesMax })
  })
  opened.push(relay)
  const connect = async () => {
    const here = new Promise<{ readonly viewer: InspectorViewer; readonly left: Promise<void> }>(
      (resolve) => {
        arrived = resolve
      }
    )
    const client = new WebSocket(relay.url.replace("http:", "ws:"))
    await once(client, "open")
    return { client, ...(await here) }
  }
  return { ...relay, connect }
}

const ask = (
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string> } = {}
) =>
  new Promise<{ readonly status: number | undefined; readonly type: string; readonly body: string }>(
    (resolve, reject) => {
      const asked = request(url, { agent: false, ...options }, (response) => {
        let body = ""
        response.setEncoding("utf8").on("data", (part: string) => (body += part))
        const type = response.headers["content-type"] ?? ""
        response.on("end", () => resolve({ status: response.statusCode, type, body }))
      })
      asked.on("error", reject).end()
    }
  )

const frame = Buffer.alloc(64 * 1024, "x")

test("a viewer that has stopped reading is cut off, and is served again when it returns", async () => {
  const { connect } = await open(1024 * 1024)
  const { client, viewer, left } = await connect()
  client.pause()
  // The kernel takes some megabytes before anything counts as unread; 128 MiB are more than it will.
  for (let index = 0; index < 2048; index += 1) viewer.send(frame)
  await left

  const again = await connect()
  const heard = once(again.client, "message")
  again.viewer.send("welcome back")
  expect(String((await heard)[0])).toBe("welcome back")
  client.resume()
  await once(client, "close")
})

test("a paced sending far larger than the limit reaches a viewer that reads, whole and in order", async () => {
  const { connect } = await open(1024 * 1024)
  const { client, viewer } = await connect()
  const heard: Array<string> = []
  const all = new Promise<void>((resolve) => {
    client.on("message", (message: Buffer) => {
      heard.push(message.toString("utf8", 0, 6))
      if (heard.length === 402) resolve()
    })
  })
  const batches = Array.from({ length: 201 }, (_, index) => {
    const number = String(index).padStart(4, "0")
    return [`${number}a ${"x".repeat(64 * 1024)}`, `${number}b `]
  })
  viewer.sendPaced(batches.values())
  await all
  expect(heard).toEqual(batches.flat().map((text) => text.slice(0, 6)))
})

test("a viewer that talks too much is cut off", async () => {
  const { connect } = await open()
  const { client, left } = await connect()
  client.send("z".repeat(2000))
  const [code] = await once(client, "close")
  expect(code).toBe(1009)
  await left
})

test.each([
  { why: "the page", path: "/", answer: 200, says: "<iframe" },
  { why: "its script", path: "/relay.js", answer: 200, says: "@statelyai.connected" },
  { why: "nothing else", path: "/etc", answer: 404, says: "not here" },
  { why: "nothing to change", path: "/", method: "POST", answer: 405, says: "only GET" },
  {
    why: "nobody by a name that only leads here",
    path: "/",
    headers: { host: "rebound.example:80" },
    answer: 403,
    says: "only"
  },
  {
    why: "one who has forwarded the port",
    path: "/",
    headers: { host: "localhost:9001" },
    answer: 200,
    says: "<iframe"
  }
])("over HTTP it serves $why", async ({ path, answer, says, ...options }) => {
  const { url } = await open()
  const { status, body } = await ask(url + path, options)
  expect(status).toBe(answer)
  expect(body).toContain(says)
})

test.each([
  { why: "a website", origin: "https://example.org", answer: 403 },
  { why: "a file", origin: "null", answer: 403 },
  { why: "a website with a telling name", origin: "http://localhost.example.org", answer: 403 },
  { why: "a page of this machine", origin: "http://localhost:5173", answer: 101 }
])("a WebSocket from $why is answered $answer", async ({ origin, answer }) => {
  const { url } = await open()
  const client = new WebSocket(url.replace("http:", "ws:"), { origin })
  const status = await new Promise((resolve) => {
    client.on("open", () => resolve(101))
    client.on("unexpected-response", (_request, response) => {
      response.destroy()
      resolve(response.statusCode)
    })
  })
  expect(status).toBe(answer)
})

test("connections that are no viewers' take no place of a viewer, and are closed when their time is up", async () => {
  const max = 4
  const { url, connect } = await open(undefined, {
    connectionsMax: max,
    unauthenticatedMax: max,
    authenticationMillis: 100
  })
  const idle = Array.from({ length: 2 * max }, () => connectSocket(Number(new URL(url).port), "127.0.0.1"))
  const closed = idle.map((socket) => once(socket.resume(), "close"))
  await Promise.all(idle.map((socket) => once(socket, "connect")))
  const { client, viewer } = await connect()
  await Promise.all(closed)
  const heard = once(client, "message")
  viewer.send("still here")
  expect(String((await heard)[0])).toBe("still here")
})

test("viewers are told goodbye, and one that does not answer cannot keep the relay open", async () => {
  const { connect, close } = await open()
  const { client } = await connect()
  const deaf = await connect()
  deaf.client.pause()
  const goodbye = once(client, "close")
  await close()
  expect((await goodbye)[0]).toBe(1001)
  deaf.client.terminate()
})
