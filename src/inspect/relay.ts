import { createServer } from "node:http"
import { WebSocketServer } from "ws"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { WebSocket } from "ws"
import type { Observer } from "../runtime/observers.ts"
import { connectionLimitsDefault, limitConnections } from "../sockets/connectionLimits.ts"
import { listen } from "../sockets/listen.ts"
import type { ConnectionLimits } from "../sockets/connectionLimits.ts"
import { pageHtml, pagePolicy, pageScript } from "./page.ts"

/** Somebody who looks on: a browser page, or any WebSocket client. */
export interface Viewer {
  readonly send: (frame: string | Buffer) => void
  /**
   * Sends what may be much, as fast as the viewer reads it. Each batch goes out whole, made when its turn
   * comes.
   */
  readonly sendPaced: (batches: Iterator<ReadonlyArray<string>>) => void
}

export interface Relay {
  /** Where the page is; the same address with `ws:` is where the frames are. */
  readonly url: string
  /** Parts from every viewer and gives the port back. */
  readonly close: () => Promise<void>
}

interface RelayOptions {
  readonly port: number
  readonly host: string
  /** Called for each viewer that comes; what it returns is called once when that viewer is gone. */
  readonly onViewer: (viewer: Viewer) => () => void
  /** Wraps what is sent to a viewer when it comes, and when it has read more. */
  readonly observe: Observer
  readonly behindBytesMax?: number
  /** The relay has no token: a connection is authenticated once it is a viewer's. */
  readonly limits?: Partial<ConnectionLimits>
}

/**
 * A viewer with more than this unread has stopped reading: it is cut off, and is shown the present if it
 * returns.
 */
const behindBytesDefault = 16 * 1024 * 1024
/** How much of a paced sending waits in one viewer's socket at a time, so that live frames still fit. */
const pacedBytesMax = 256 * 1024
/** Viewers have nothing to say; more than this from one is not a viewer. */
const heardBytesMax = 1024
/** How long a viewer may take to answer the farewell before its socket is destroyed. */
const farewellMillis = 500

/** Serves the page and streams frames to everyone who connects. Rejects when the port cannot be had. */
export const openRelay = async (options: RelayOptions): Promise<Relay> => {
  const server = createServer(servePage)
  const connections = limitConnections(server, { ...connectionLimitsDefault, ...options.limits })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: heardBytesMax })
  server.on("upgrade", (request, socket, head) => {
    if (!isLocal(request)) {
      socket.on("error", () => socket.destroy())
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n", () => socket.destroy())
      return
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      connections.authenticate(request.socket)
      serveViewer(client, options)
    })
  })
  await listen(server, options)
  let closed: Promise<void> | undefined
  return {
    url: urlOf(server),
    close: () => {
      connections.closeUnauthenticated()
      return (closed ??= closeAll(server, sockets))
    }
  }
}

const urlOf = (server: Server): string => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a listening server has no port")
  return `http://${address.address}:${address.port}`
}

const servePage = (request: IncomingMessage, response: ServerResponse): void => {
  const answer = (status: number, type: string, body: string): void => {
    response.writeHead(status, {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": pagePolicy(request.headers.host ?? ""),
      "x-content-type-options": "nosniff",
      "cache-control": "no-store"
    })
    response.end(request.method === "HEAD" ? undefined : body)
  }
  if (!isLocal(request)) return answer(403, "text/plain", "only from this machine\n")
  if (request.method !== "GET" && request.method !== "HEAD") {
    return answer(405, "text/plain", "only GET\n")
  }
  if (request.url === "/") return answer(200, "text/html", pageHtml)
  if (request.url === "/relay.js") return answer(200, "text/javascript", pageScript)
  return answer(404, "text/plain", "not here\n")
}

/**
 * Browsers let any website open a WebSocket to this machine, and a website may give itself a name that leads here. So
 * both the name that was called and the page that calls must be this machine's own.
 */
const isLocal = ({ headers }: IncomingMessage): boolean =>
  isLoopback(`http://${headers.host ?? ""}`) && (headers.origin === undefined || isLoopback(headers.origin))

const loopbackNames = new Set(["127.0.0.1", "localhost", "[::1]"])

const isLoopback = (origin: string): boolean => {
  const url = URL.parse(origin)
  return url !== null && loopbackNames.has(url.hostname)
}

const serveViewer = (client: WebSocket, options: RelayOptions): void => {
  const { onViewer, observe, behindBytesMax = behindBytesDefault } = options

  const send = (frame: string | Buffer, sent?: (error?: Error | null) => void): void => {
    if (client.readyState !== client.OPEN) return
    client.send(frame, { binary: false }, sent)
    if (client.bufferedAmount > behindBytesMax) client.terminate()
  }

  const sendPaced: Viewer["sendPaced"] = observe((batches) => {
    while (client.readyState === client.OPEN) {
      const batch = batches.next()
      if (batch.done === true) return
      const last = batch.value.length - 1
      const isFull = client.bufferedAmount > pacedBytesMax
      for (const [index, frame] of batch.value.entries()) {
        if (isFull && index === last) send(frame, (error) => (error ? undefined : sendPaced(batches)))
        else send(frame)
      }
      if (isFull && last >= 0) return
    }
  })

  observe(() => {
    const leave = onViewer({ send: (frame) => send(frame), sendPaced })
    client.once("close", leave)
  })()
  // A connection that breaks is the viewer's own affair, and no more than a reason to part: `close` follows.
  client.on("error", () => {})
}

const closeAll = async (server: Server, sockets: WebSocketServer): Promise<void> => {
  const serverClosed = new Promise((resolve) => server.close(resolve))
  const partings = [...sockets.clients].map((client) => {
    const parted = new Promise((resolve) => client.once("close", resolve))
    client.close(1001, "the cluster has closed")
    return parted
  })
  const impatience = setTimeout(() => {
    for (const client of sockets.clients) client.terminate()
  }, farewellMillis)
  server.closeAllConnections()
  await Promise.all(partings)
  clearTimeout(impatience)
  sockets.close()
  await serverClosed
}
