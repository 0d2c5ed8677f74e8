import { createServer as createPlainServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { isIP } from "node:net"
import type { Server } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { connectionLimitsDefault, limitConnections } from "../platform/sockets/connectionLimits.ts"
import { listenOn } from "../platform/sockets/listenOn.ts"
import { reachableAddress } from "./access/serverNames.ts"
import { tokenIssuerOf } from "./access/tokenIssuer.ts"
import { makeRequestGuard } from "./access/requestGuard.ts"
import { makeRequestHandler } from "./requestHandler.ts"
import type { ApiOperations } from "./requestHandler.ts"
import { isContentLengthTooLarge, readRequestBody } from "./http/readRequestBody.ts"
import { streamsMaxDefault } from "./responses/responseStreams.ts"
import type { ConnectionLimits } from "../platform/sockets/connectionLimits.ts"
import { pageUrlPath } from "./charthouse/pageFiles.ts"
import type { PageFiles } from "./charthouse/pageFiles.ts"
import type { ServerCertificates } from "./access/serverCertificates.ts"

interface ServerOptions extends ApiOperations {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  readonly token: string
  /** The port of the web page when the API uses TLS. */
  readonly pagePort?: number
  /** Plain HTTP when undefined. */
  readonly certificates: ServerCertificates | undefined
  readonly page?: PageFiles | undefined
  readonly limits?: Partial<ApiServerLimits>
}

export interface ApiServerLimits extends ConnectionLimits {
  readonly headerLimitMillis: number
  readonly requestLimitMillis: number
  /** The limit for idle authenticated connections. An open watch is not idle. */
  readonly idleLimitMillis: number
  /** Time for the client to read an error before its connection is destroyed. */
  readonly lingerMillis: number
  readonly streamsMax: number
}

const limitsDefault: ApiServerLimits = {
  ...connectionLimitsDefault,
  headerLimitMillis: 15_000,
  requestLimitMillis: 60_000,
  idleLimitMillis: 90_000,
  lingerMillis: 1000,
  streamsMax: streamsMaxDefault
}

const headerBytesMax = 32 * 1024
const headerCountMax = 200
/** A connection closes after this many requests, so that none lives for ever. */
const requestsPerSocketMax = 100_000
const timeoutCheckMillis = 1000
/** A page server without TLS is reachable from this machine only. */
const pageHost = "127.0.0.1"
/** How much longer than advertised an idle connection stays open, for a request that is already on its way. */
const idleGraceMillis = 1000
/** Time for requests in flight to finish when the server closes. */
const closeGraceMillis = 250

interface ApiServer {
  readonly url: string
  readonly pageUrl: string | undefined
  readonly close: () => Promise<void>
}

export const startApiServer = async (options: ServerOptions): Promise<ApiServer> => {
  const { host, port, token, certificates } = options
  const limits = { ...limitsDefault, ...options.limits }
  const { view, nowMillis } = options.services
  const userOfToken = (candidate: string) => {
    const reviewed = tokenIssuerOf(view).review(candidate, { view, nowMillis: nowMillis() })
    return "user" in reviewed ? reviewed.user : undefined
  }
  const guard = makeRequestGuard({ token, host, userOfToken })
  const { isValidToken } = guard
  const api = makeRequestHandler({ ...options, isValidToken, streamsMax: limits.streamsMax })
  const serverSettings = {
    headersTimeout: Math.min(limits.headerLimitMillis, limits.requestLimitMillis),
    requestTimeout: limits.requestLimitMillis,
    keepAliveTimeout: limits.idleLimitMillis,
    keepAliveTimeoutBuffer: Math.min(idleGraceMillis, limits.idleLimitMillis),
    connectionsCheckingInterval: Math.min(timeoutCheckMillis, limits.headerLimitMillis),
    maxHeaderSize: headerBytesMax
  }
  const { page } = options
  const handleRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const isPageRequest = page?.hasFile(request) === true && guard.checkHostAndOrigin(request) === undefined
    if (isPageRequest && page.answer(request, response)) return
    api.answer({
      request,
      response,
      readBody: () => readRequestBody(request),
      authenticate: () => guard.authenticate(request)
    })
  }
  const server =
    certificates === undefined
      ? createPlainServer(serverSettings, handleRequest)
      : createSecureServer({ ...serverSettings, ...certificates.server }, handleRequest)
  // With TLS, the page has a server of its own: browsers would warn of the self-signed certificate.
  const pageServer =
    page === undefined || certificates === undefined
      ? server
      : createPlainServer(serverSettings, handleRequest)
  const servers = [...new Set([server, pageServer])]
  const limitedConnections = servers.map((httpServer) => {
    const connections = limitConnections(httpServer, limits)
    const markIfAuthenticated = (request: IncomingMessage): void => {
      const { socket } = request
      if (!connections.isAuthenticated(socket) && guard.isAuthenticated(request)) {
        connections.markAuthenticated(socket)
      }
    }
    httpServer.prependListener("request", markIfAuthenticated)
    httpServer.prependListener("checkContinue", markIfAuthenticated)
    return connections
  })
  for (const httpServer of servers) {
    httpServer.maxHeadersCount = headerCountMax
    httpServer.maxRequestsPerSocket = requestsPerSocketMax
    answerMalformedRequests(httpServer, limits)
    // A client that sends `Expect: 100-continue` gets a refusal before it sends the body.
    httpServer.on("checkContinue", (request, response) => {
      if (guard.checkRequest(request) === undefined && !isContentLengthTooLarge(request))
        response.writeContinue()
      handleRequest(request, response)
    })
  }
  await listenOn(server, { port, host })
  if (pageServer !== server) {
    await listenOn(pageServer, { port: options.pagePort ?? 0, host: pageHost }).catch((error: unknown) => {
      server.close()
      throw error
    })
  }
  const scheme = certificates === undefined ? "http" : "https"
  const pageAddress = addressOf(pageServer, pageServer === server ? host : pageHost)
  let closing: Promise<void> | undefined
  return {
    url: `${scheme}://${addressOf(server, host)}`,
    pageUrl: page === undefined ? undefined : `http://${pageAddress}${pageUrlPath}`,
    close: () =>
      (closing ??= new Promise((resolve) => {
        const closedServers = servers.map(
          (httpServer) => new Promise<void>((done) => httpServer.close(() => done()))
        )
        void Promise.all(closedServers).then(() => resolve())
        api.close()
        for (const httpServer of servers) httpServer.closeIdleConnections()
        for (const connections of limitedConnections) connections.closeUnauthenticated()
        setTimeout(
          () => servers.forEach((httpServer) => httpServer.closeAllConnections()),
          closeGraceMillis
        ).unref()
      }))
  }
}

const answerMalformedRequests = (server: Server, { lingerMillis }: ApiServerLimits): void => {
  const closeWithStatus = (socket: Duplex, status: string): void => {
    const lingerTimer = setTimeout(() => socket.destroy(), lingerMillis).unref()
    socket.once("close", () => clearTimeout(lingerTimer))
    socket.on("error", () => socket.destroy())
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  }
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy()
    closeWithStatus(socket, statusByClientError[error.code ?? ""] ?? "400 Bad Request")
  })
  server.on("connect", (_request, socket: Duplex) => closeWithStatus(socket, "405 Method Not Allowed"))
  server.on("checkExpectation", (_request, response) => {
    response.writeHead(417, { connection: "close" }).end()
  })
  server.on("tlsClientError", (_error, socket: Duplex) => socket.destroy())
}

/** 400 for all other codes. */
const statusByClientError: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout"
}

/** The configured host name, which the certificate covers, or the listening address. */
const addressOf = (server: Server, host: string): string => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a listening server has no port")
  if (isIP(host) === 0) return `${host}:${address.port}`
  const reachable = reachableAddress(address.address)
  return `${address.family === "IPv6" ? `[${reachable}]` : reachable}:${address.port}`
}
