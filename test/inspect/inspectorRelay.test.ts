import { request } from "node:http"
import { once } from "node:events"
import { connect as connectSocket } from "node:net"
import { afterEach, expect, test } from "vitest"
import { WebSocket } from "ws"
import { makeErrorCatcher } from "../../src/runtime/observers.ts"
import { openInspectorRelay } from "../../src/inspect/inspectorRelay.ts"
import type { ConnectionLimits } from "../../src/platform/sockets/connectionLimits.ts"
import type { InspectorRelay, InspectorViewer } from "../../src/inspect/inspectorRelay.ts"

const opened: Array<InspectorRelay> = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((relay) => relay.close()))
})

/** A relay; `left` resolves when its viewer has disconnected. */
const open = async (unreadBytesMax?: number, limits: Partial<ConnectionLimits> = {}) => {
  let arrived: (viewer: {
    readonly viewer: InspectorViewer
    readonly disconnected: Promise<void>
  }) => void = () => {}
  const relay = await openInspectorRelay({
    catchErrors: makeErrorCatcher("the relay"),
    port: 0,
    host: "127.0.0.1",
    limits,
    onViewer: (viewer) => {
      const disconnected = Promise.withResolvers<void>()
      arrived({ viewer, disconnected: disconnected.promise })
      return disconnected.resolve
    },
    ...(unreadBytesMax === undefined ? {} : { unreadBytesMax })
  })
  opened.push(relay)
  const connect = async () => {
    const arrival = new Promise<{ readonly viewer: InspectorViewer; readonly disconnected: Promise<void> }>(
      (resolve) => {
        arrived = resolve
      }
    )
    const client = new WebSocket(relay.url.replace("http:", "ws:"))
    await once(client, "open")
    return { client, ...(await arrival) }
  }
  return { ...relay, connect }
}

const ask = (
  url: string,
  options: { readonly method?: string; readonly headers?: Record<string, string> } = {}
) =>
  new Promise<{ readonly status: number | undefined; readonly type: string; readonly body: string }>(
    (resolve, reject) => {
      const outgoing = request(url, { agent: false, ...options }, (response) => {
        let body = ""
        response.setEncoding("utf8").on("data", (part: string) => (body += part))
        const type = response.headers["content-type"] ?? ""
        response.on("end", () => resolve({ status: response.statusCode, type, body }))
      })
      outgoing.on("error", reject).end()
    }
  )

const frame = Buffer.alloc(64 * 1024, "x")

test("the relay disconnects a viewer that has stopped reading, and serves it again when it returns", async () => {
  const { connect } = await open(1024 * 1024)
  const { client, viewer, disconnected } = await connect()
  client.pause()
  // More than the kernel buffers.
  for (let index = 0; index < 2048; index += 1) viewer.send(frame)
  await disconnected

  const again = await connect()
  const received = once(again.client, "message")
  again.viewer.send("welcome back")
  expect(String((await received)[0])).toBe("welcome back")
  client.resume()
  await once(client, "close")
})

test("the relay sends paced data far beyond the limit completely and in order to a reading viewer", async () => {
  const { connect } = await open(1024 * 1024)
  const { client, viewer } = await connect()
  const received: Array<string> = []
  const all = new Promise<void>((resolve) => {
    client.on("message", (message: Buffer) => {
      received.push(message.toString("utf8", 0, 6))
      if (received.length === 402) resolve()
    })
  })
  const batches = Array.from({ length: 201 }, (_, index) => {
    const number = String(index).padStart(4, "0")
    return [`${number}a ${"x".repeat(64 * 1024)}`, `${number}b `]
  })
  viewer.sendPaced(batches.values())
  await all
  expect(received).toEqual(batches.flat().map((text) => text.slice(0, 6)))
})

test("the relay disconnects a viewer that sends too much", async () => {
  const { connect } = await open()
  const { client, disconnected } = await connect()
  client.send("z".repeat(2000))
  const [code] = await once(client, "close")
  expect(code).toBe(1009)
  await disconnected
})

test.each([
  { why: "the page", path: "/", answer: 200, expectedText: "<iframe" },
  { why: "its script", path: "/relay.js", answer: 200, expectedText: "@statelyai.connected" },
  { why: "404 for other paths", path: "/etc", answer: 404, expectedText: "not here" },
  { why: "405 for other methods", path: "/", method: "POST", answer: 405, expectedText: "only GET" },
  {
    why: "403 for another host name",
    path: "/",
    headers: { host: "rebound.example:80" },
    answer: 403,
    expectedText: "only"
  },
  {
    why: "the page by a forwarded port",
    path: "/",
    headers: { host: "localhost:9001" },
    answer: 200,
    expectedText: "<iframe"
  }
])("the relay serves $why", async ({ path, answer, expectedText, ...options }) => {
  const { url } = await open()
  const { status, body } = await ask(url + path, options)
  expect(status).toBe(answer)
  expect(body).toContain(expectedText)
})

test.each([
  { why: "a website", origin: "https://example.org", answer: 403 },
  { why: "a file", origin: "null", answer: 403 },
  { why: "a website with localhost in its name", origin: "http://localhost.example.org", answer: 403 },
  { why: "a page of this machine", origin: "http://localhost:5173", answer: 101 }
])("the relay answers a WebSocket from $why with $answer", async ({ origin, answer }) => {
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

test("the relay closes idle connections after a timeout, and admits viewers meanwhile", async () => {
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
  const received = once(client, "message")
  viewer.send("still here")
  expect(String((await received)[0])).toBe("still here")
})

test("the relay closes its viewers' connections when it closes, and does not wait for one that does not answer", async () => {
  const { connect, close } = await open()
  const { client } = await connect()
  const unresponsive = await connect()
  unresponsive.client.pause()
  const goodbye = once(client, "close")
  await close()
  expect((await goodbye)[0]).toBe(1001)
  unresponsive.client.terminate()
})
