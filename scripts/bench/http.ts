import { createServer, request, Agent } from "node:http"
import { request as secureRequest, Agent as SecureAgent } from "node:https"
import { StringDecoder } from "node:string_decoder"
import type { AddressInfo } from "node:net"
import type { Draft, OpenCluster, ServedCluster } from "charthouse"

interface BenchRequest {
  readonly method?: string
  readonly path: string
  readonly body?: string
  readonly contentType?: string
}

/** Keeps its connections, so that requests are measured and not handshakes. */
export const makeClient = (url: string, token?: string) => {
  const isSecure = url.startsWith("https:")
  const settings = { keepAlive: true, maxSockets: 64 }
  // Our own server has just made its certificate.
  const agent = isSecure ? new SecureAgent({ ...settings, rejectUnauthorized: false }) : new Agent(settings)
  // A stream occupies its connection until it ends.
  const streamAgent = isSecure ? new SecureAgent({ rejectUnauthorized: false }) : new Agent()
  const startRequest = isSecure ? secureRequest : request
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const send = ({
    method = "GET",
    path,
    body,
    contentType = "application/json"
  }: BenchRequest): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const outgoing = startRequest(
        new URL(path, url),
        {
          method,
          agent,
          headers: { ...headers, ...(body === undefined ? {} : { "content-type": contentType }) }
        },
        (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("end", () =>
            (response.statusCode ?? 500) < 300
              ? resolve(Buffer.concat(chunks))
              : reject(new Error(`${response.statusCode}: ${Buffer.concat(chunks).toString()}`))
          )
          response.on("error", reject)
        }
      )
      outgoing.on("error", reject)
      outgoing.end(body)
    })
  const stream = (path: string, onChunk: (chunk: Buffer) => void): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const outgoing = startRequest(new URL(path, url), { headers, agent: streamAgent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${response.statusCode} for ${path}`))
        response.on("data", onChunk)
        response.on("error", () => {})
        resolve(() => outgoing.destroy())
      })
      outgoing.on("error", reject)
      outgoing.end()
    })
  const watch = (path: string, onLine: () => void): Promise<() => void> =>
    stream(path, (chunk) => {
      for (const byte of chunk) if (byte === newline) onLine()
    })
  const watchLines = (path: string, onLine: (line: string) => void): Promise<() => void> => {
    const decoder = new StringDecoder()
    let incompleteLine = ""
    return stream(path, (chunk) => {
      const lines = (incompleteLine + decoder.write(chunk)).split("\n")
      incompleteLine = lines.pop() ?? ""
      for (const line of lines) onLine(line)
    })
  }
  const close = (): void => {
    agent.destroy()
    streamAgent.destroy()
  }
  return { send, watch, watchLines, close }
}

const newline = 10

/** The lower bound: a server that returns the same bytes and does nothing else. */
const bareServer = (bytes: Buffer): Promise<{ readonly url: string; readonly close: () => void }> =>
  new Promise((resolve) => {
    const server = createServer((incoming, response) => {
      incoming.on("data", () => {})
      incoming.on("end", () => {
        response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length })
        response.end(bytes)
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resolve({ url: `http://127.0.0.1:${port}`, close: () => server.close() })
    })
  })

/** Microseconds per request, with a few in flight at a time. */
const microsPerRequest = async (send: () => Promise<unknown>, count: number): Promise<number> => {
  for (let warm = 0; warm < count / 10; warm += 1) await send()
  const startMillis = performance.now()
  await sendRequests(send, count)
  return ((performance.now() - startMillis) * 1000) / count
}

const concurrency = 8

/** Makes `count` requests, so many of them in flight at a time. */
export const sendRequests = async (
  send: () => Promise<unknown>,
  count: number,
  inFlight = concurrency
): Promise<void> => {
  let remaining = count
  const worker = async (): Promise<void> => {
    while (remaining > 0) {
      remaining -= 1
      await send()
    }
  }
  await Promise.all(Array.from({ length: inFlight }, worker))
}

/** How many times as long our server takes as a bare one for the same response. */
export const compareWithBareServer = async (
  served: ServedCluster,
  makeRequest: () => BenchRequest,
  count: number
): Promise<{ readonly ratio: number; readonly micros: number }> => {
  const client = makeClient(served.url, served.token)
  const bytes = await client.send(makeRequest())
  const bare = await bareServer(bytes)
  const bareClient = makeClient(bare.url)
  const bareMicros = await microsPerRequest(() => bareClient.send(makeRequest()), count)
  const micros = await microsPerRequest(() => client.send(makeRequest()), count)
  client.close()
  bareClient.close()
  bare.close()
  return { ratio: micros / bareMicros, micros }
}

/** Delivers watch lines to all watchers: microseconds per line, and the ratio to bare writes of the same bytes. */
export const measureFanOut = async (
  cluster: OpenCluster,
  served: ServedCluster,
  { watchers, changes }: { readonly watchers: number; readonly changes: number }
): Promise<{ readonly ratio: number; readonly micros: number }> => {
  const total = watchers * changes
  const client = makeClient(served.url, served.token)
  const counterReference = { resource: "configmaps", name: "counter" }
  const counter: Draft & { readonly data: object } = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "counter", namespace: "default" },
    data: { filler: "x".repeat(fillerLength), n: "0" }
  }
  await cluster.create(counter)
  const list = JSON.parse(String(await client.send({ path: "/api/v1/configmaps" }))) as {
    readonly metadata: { readonly resourceVersion: string }
  }
  let deliveredLines = 0
  let onAllDelivered = (): void => {}
  const countLine = (): void => {
    deliveredLines += 1
    if (deliveredLines === total) onAllDelivered()
  }
  const path = `/api/v1/configmaps?watch=1&resourceVersion=${list.metadata.resourceVersion}`
  const stopWatches = await Promise.all(Array.from({ length: watchers }, () => client.watch(path, countLine)))
  const finished = new Promise<void>((resolve) => (onAllDelivered = resolve))
  const startMillis = performance.now()
  for (let n = 1; n <= changes; n += 1) {
    await cluster.patch(counterReference, { data: { n: String(n) } })
    if (n % changesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await finished
  const servedMillis = performance.now() - startMillis
  for (const stop of stopWatches) stop()
  const bareMillis = await bareFanOutMillis({ watchers, changes })
  client.close()
  return { ratio: servedMillis / bareMillis, micros: (servedMillis * 1000) / total }
}

const fillerLength = 400
/** Changes between two turns of the server's sockets. */
const changesPerTurn = 5

const bareFanOutMillis = async ({
  watchers,
  changes
}: {
  readonly watchers: number
  readonly changes: number
}): Promise<number> => {
  const responses: Array<{ readonly write: (bytes: Buffer) => unknown }> = []
  const server = createServer((_request, response) => {
    response.writeHead(200)
    response.flushHeaders()
    responses.push(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const client = makeClient(`http://127.0.0.1:${port}`)
  let deliveredLines = 0
  let onAllDelivered = (): void => {}
  const stopWatches = await Promise.all(
    Array.from({ length: watchers }, () =>
      client.watch("/", () => {
        deliveredLines += 1
        if (deliveredLines === watchers * changes) onAllDelivered()
      })
    )
  )
  const finished = new Promise<void>((resolve) => (onAllDelivered = resolve))
  const line = Buffer.from(`${"x".repeat(fillerLength + lineOverhead)}\n`)
  const startMillis = performance.now()
  for (let n = 1; n <= changes; n += 1) {
    for (const response of responses) response.write(line)
    if (n % changesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await finished
  const millis = performance.now() - startMillis
  for (const stop of stopWatches) stop()
  client.close()
  server.closeAllConnections()
  server.close()
  return millis
}

/** Bytes of a ConfigMap's watch line beside its data. */
const lineOverhead = 300
