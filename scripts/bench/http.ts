import { createServer, request, Agent } from "node:http"
import { request as secureRequest, Agent as SecureAgent } from "node:https"
import { StringDecoder } from "node:string_decoder"
import type { AddressInfo } from "node:net"
import type { Draft, OpenCluster, ServedCluster } from "charthouse"

/** What a server is asked, and what it answered. */
interface Asked {
  readonly method?: string
  readonly path: string
  readonly body?: string
  readonly contentType?: string
}

/** A client that keeps its connections, so that requests are measured and not handshakes. */
export const makeClient = (url: string, token: string | undefined) => {
  const isSecure = url.startsWith("https:")
  const settings = { keepAlive: true, maxSockets: 64 }
  // Of our own server, which has just made its certificate.
  const agent = isSecure ? new SecureAgent({ ...settings, rejectUnauthorized: false }) : new Agent(settings)
  // Streams last, so they have connections of their own, as many as there are.
  const streams = isSecure ? new SecureAgent({ rejectUnauthorized: false }) : new Agent()
  const send = isSecure ? secureRequest : request
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const ask = ({ method = "GET", path, body, contentType = "application/json" }: Asked): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const asking = send(
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
      asking.on("error", reject)
      asking.end(body)
    })
  const stream = (path: string, onChunk: (chunk: Buffer) => void): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const asking = send(new URL(path, url), { headers, agent: streams }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${response.statusCode} for ${path}`))
        response.on("data", onChunk)
        response.on("error", () => {})
        resolve(() => asking.destroy())
      })
      asking.on("error", reject)
      asking.end()
    })
  /** A stream, counting the lines that come. */
  const watch = (path: string, onLine: () => void): Promise<() => void> =>
    stream(path, (chunk) => {
      for (const byte of chunk) if (byte === newline) onLine()
    })
  /** A stream, line by line. */
  const watchLines = (path: string, onLine: (line: string) => void): Promise<() => void> => {
    const decoder = new StringDecoder()
    let rest = ""
    return stream(path, (chunk) => {
      const lines = (rest + decoder.write(chunk)).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) onLine(line)
    })
  }
  const close = (): void => {
    agent.destroy()
    streams.destroy()
  }
  return { ask, watch, watchLines, close }
}

const newline = 10

/** The floor: a bare server that answers the same bytes and does nothing else. */
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

/** Microseconds a request, with a few under way at a time. */
const microsEach = async (ask: () => Promise<unknown>, count: number): Promise<number> => {
  for (let warm = 0; warm < count / 10; warm += 1) await ask()
  const begun = performance.now()
  await askOften(ask, count)
  return ((performance.now() - begun) * 1000) / count
}

const concurrency = 8

/** So many requests, of which a few are under way at a time. */
export const askOften = async (ask: () => Promise<unknown>, count: number): Promise<void> => {
  let left = count
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await ask()
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

/** How much longer our server takes than a bare one for the same answer. */
export const ratioOf = async (
  served: ServedCluster,
  asked: () => Asked,
  count: number
): Promise<{ readonly ratio: number; readonly micros: number }> => {
  const ours = makeClient(served.url, served.token)
  const bytes = await ours.ask(asked())
  const bare = await bareServer(bytes)
  const theirs = makeClient(bare.url, undefined)
  const floor = await microsEach(() => theirs.ask(asked()), count)
  const micros = await microsEach(() => ours.ask(asked()), count)
  ours.close()
  theirs.close()
  bare.close()
  return { ratio: micros / floor, micros }
}

/** Watch lines delivered to all watchers, in microseconds a line, ours and by bare writes of the same bytes. */
export const fanOut = async (
  cluster: OpenCluster,
  served: ServedCluster,
  { watchers, changes }: { readonly watchers: number; readonly changes: number }
): Promise<{ readonly ratio: number; readonly micros: number }> => {
  const total = watchers * changes
  const client = makeClient(served.url, served.token)
  const named = { resource: "configmaps", name: "counter" }
  const counter: Draft & { readonly data: object } = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "counter", namespace: "default" },
    data: { filler: "x".repeat(fillerLength), n: "0" }
  }
  await cluster.create(counter)
  const current = JSON.parse(String(await client.ask({ path: "/api/v1/configmaps" }))) as {
    readonly metadata: { readonly resourceVersion: string }
  }
  let seen = 0
  let done = (): void => {}
  const count = (): void => {
    seen += 1
    if (seen === total) done()
  }
  const path = `/api/v1/configmaps?watch=1&resourceVersion=${current.metadata.resourceVersion}`
  const stops = await Promise.all(Array.from({ length: watchers }, () => client.watch(path, count)))
  const finished = new Promise<void>((resolve) => (done = resolve))
  const begun = performance.now()
  for (let n = 1; n <= changes; n += 1) {
    await cluster.patch(named, { data: { n: String(n) } })
    if (n % breathe === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await finished
  const ours = performance.now() - begun
  for (const stop of stops) stop()
  const bare = await bareFanOut({ watchers, changes })
  client.close()
  return { ratio: ours / bare, micros: (ours * 1000) / total }
}

const fillerLength = 400
/** Changes between which the server's sockets get their turn. */
const breathe = 5

const bareFanOut = async ({
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
  const client = makeClient(`http://127.0.0.1:${port}`, undefined)
  let seen = 0
  let done = (): void => {}
  const stops = await Promise.all(
    Array.from({ length: watchers }, () =>
      client.watch("/", () => {
        seen += 1
        if (seen === watchers * changes) done()
      })
    )
  )
  const finished = new Promise<void>((resolve) => (done = resolve))
  const line = Buffer.from(`${"x".repeat(fillerLength + lineOverhead)}\n`)
  const begun = performance.now()
  for (let n = 1; n <= changes; n += 1) {
    for (const response of responses) response.write(line)
    if (n % breathe === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await finished
  const millis = performance.now() - begun
  for (const stop of stops) stop()
  client.close()
  server.closeAllConnections()
  server.close()
  return millis
}

/** What a ConfigMap's line has beside its data. */
const lineOverhead = 300
