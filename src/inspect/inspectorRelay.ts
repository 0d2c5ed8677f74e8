import { createServer } from "node:http"
import { WebSocketServer } from "ws"
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { WebSocket } from "ws"
import type { ErrorCatcher } from "../runtime/observers.ts"
import { connectionLimitsDefault, limitConnections } from "../platform/sockets/connectionLimits.ts"
import { listenOn } from "../platform/sockets/listenOn.ts"
import type { ConnectionLimits } from "../platform/sockets/connectionLimits.ts"
import { inspectorPageHtml, inspectorPagePolicy, inspectorPageScript } from "./inspectorPage.ts"

export interface InspectorViewer {
  readonly send: (frame: string | Buffer) => void
  /** Sends batches as fast as the client reads. A batch is made when its turn comes, and sent whole. */
  readonly sendPaced: (batches: Iterator<ReadonlyArray<string>>) => void
}

export interface InspectorRelay {
  readonly url: string
  readonly close: () => Promise<void>
}

interface RelayOptions {
  readonly port: number
  readonly host: string
  readonly onViewer: (viewer: InspectorViewer) => () => void
  readonly catchErrors: ErrorCatcher
  /** Unread bytes above which a viewer is disconnected; 16 MiB by default. */
  readonly unreadBytesMax?: number
  /** The relay has no tokens: the WebSocket upgrade counts as authentication. */
  readonly limits?: Partial<ConnectionLimits>
}

const unreadBytesMaxDefault = 16 * 1024 * 1024
/** Paced sending waits above this number of unread bytes, so that live frames still fit. */
const pacedUnreadBytesMax = 256 * 1024
/** Viewers send nothing: a message above this size closes the connection. */
const receivedBytesMax = 1024
const closeTimeoutMillis = 500

export const openInspectorRelay = async (options: RelayOptions): Promise<InspectorRelay> => {
  const server = createServer(servePage)
  const connections = limitConnections(server, { ...connectionLimitsDefault, ...options.limits })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: receivedBytesMax })
  server.on("upgrade", (request, socket, head) => {
    if (!isLocal(request)) {
      socket.on("error", () => socket.destroy())
      socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n", () => socket.destroy())
      return
    }
    sockets.handleUpgrade(request, socket, head, (client) => {
      connections.markAuthenticated(request.socket)
      serveViewer(client, options)
    })
  })
  await listenOn(server, options)
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
  const respond = (status: number, type: string, body: string): void => {
    response.writeHead(status, {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": inspectorPagePolicy(request.headers.host ?? ""),
      "x-content-type-options": "nosniff",
      "cache-control": "no-store"
    })
    response.end(request.method === "HEAD" ? undefined : body)
  }
  if (!isLocal(request)) return respond(403, "text/plain", "only from this machine\n")
  if (request.method !== "GET" && request.method !== "HEAD") {
    return respond(405, "text/plain", "only GET\n")
  }
  if (request.url === "/") return respond(200, "text/html", inspectorPageHtml)
  if (request.url === "/relay.js") return respond(200, "text/javascript", inspectorPageScript)
  return respond(404, "text/plain", "not here\n")
}

/** Protects against DNS rebinding and cross-site WebSockets. */
const isLocal = ({ headers }: IncomingMessage): boolean =>
  isLoopback(`http://${headers.host ?? ""}`) && (headers.origin === undefined || isLoopback(headers.origin))

const loopbackNames = new Set(["127.0.0.1", "localhost", "[::1]"])

const isLoopback = (origin: string): boolean => {
  const url = URL.parse(origin)
  return url !== null && loopbackNames.has(url.hostname)
}

const serveViewer = (client: WebSocket, options: RelayOptions): void => {
  const { onViewer, catchErrors, unreadBytesMax = unreadBytesMaxDefault } = options

  const send = (frame: string | Buffer, sent?: (error?: Error | null) => void): void => {
    if (client.readyState !== client.OPEN) return
    client.send(frame, { binary: false }, sent)
    if (client.bufferedAmount > unreadBytesMax) client.terminate()
  }

  const sendPaced: InspectorViewer["sendPaced"] = catchErrors((batches) => {
    while (client.readyState === client.OPEN) {
      // The next batch waits until the last frame of this one is sent.
      const batch = batches.next()
      if (batch.done === true) return
      const lastIndex = batch.value.length - 1
      const isFull = client.bufferedAmount > pacedUnreadBytesMax
      for (const [index, frame] of batch.value.entries()) {
        if (isFull && index === lastIndex) send(frame, (error) => (error ? undefined : sendPaced(batches)))
        else send(frame)
      }
      if (isFull && lastIndex >= 0) return
    }
  })

  catchErrors(() => {
    const onDisconnect = onViewer({ send: (frame) => send(frame), sendPaced })
    client.once("close", onDisconnect)
  })()
  // `close` follows every error.
  client.on("error", () => {})
}

const closeAll = async (server: Server, sockets: WebSocketServer): Promise<void> => {
  const serverClosed = new Promise((resolve) => server.close(resolve))
  const closings = [...sockets.clients].map((client) => {
    const closed = new Promise((resolve) => client.once("close", resolve))
    client.close(1001, "the cluster has closed")
    return closed
  })
  const timeout = setTimeout(() => {
    for (const client of sockets.clients) client.terminate()
  }, closeTimeoutMillis)
  server.closeAllConnections()
  await Promise.all(closings)
  clearTimeout(timeout)
  sockets.close()
  await serverClosed
}
