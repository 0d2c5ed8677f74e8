import { createServer as createPlainServer } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { isIP } from "node:net"
import type { Effect } from "effect/Effect"
import type { Exit } from "effect/Exit"
import type { Server } from "node:http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import { connectionLimitsDefault, limitConnections } from "../sockets/connectionLimits.ts"
import { listen } from "../sockets/listen.ts"
import { reachableAt } from "./addresses.ts"
import { makeGuard } from "./guard.ts"
import { makeApi } from "./api.ts"
import type { Traffic } from "./api.ts"
import { saysTooLarge } from "./bodyBytes.ts"
import type { ApiServices } from "./call.ts"
import type { ConnectionLimits } from "../sockets/connectionLimits.ts"
import type { ServedClock } from "./clock.ts"
import type { ServedFaults } from "./faults.ts"
import type { ServedRecording } from "./recording.ts"
import type { Observers } from "../runtime/observers.ts"
import type { ServedWhy } from "./why.ts"
import { pagePath } from "./page.ts"
import type { Page } from "./page.ts"
import type { Certificates } from "./certificates.ts"

interface ServerOptions {
  readonly services: Omit<ApiServices, "knowsToken">
  readonly clock: ServedClock
  readonly faults: ServedFaults
  /** The text of the whole cluster at this instant. */
  readonly snapshot: Effect<string, Error>
  readonly why: Effect<ServedWhy>
  readonly recording: Effect<ServedRecording>
  readonly observers: Observers
  readonly step: <A, E>(effect: Effect<A, E>) => Exit<A, E> | Promise<Exit<A, E>>
  readonly host: string
  /** 0 takes any that is free. */
  readonly port: number
  readonly token: string
  /** Of the page, where the API itself speaks TLS. */
  readonly pagePort?: number
  /** Plain HTTP where it is left out. */
  readonly certificates: Certificates | undefined
  readonly traffic?: Traffic | undefined
  /** Served to browsers; none where it is left out. */
  readonly page?: Page | undefined
  /** What clients may take of the server. */
  readonly limits?: Partial<ServerLimits>
}

export interface ServerLimits extends ConnectionLimits {
  /** Time for a client to send its headers, before its connection is taken from it. */
  readonly headersMillis: number
  /** Time for a client to send all of a request. */
  readonly requestMillis: number
  /** How long an authenticated connection is kept between two requests. A watch is a request that goes on. */
  readonly idleMillis: number
  /** Time for a client to read why its connection is closed, before its own side is closed too. */
  readonly lingerMillis: number
  /** Watches and logs that are followed at one time. */
  readonly streamsMax: number
}

const limitsDefault: ServerLimits = {
  ...connectionLimitsDefault,
  headersMillis: 15_000,
  requestMillis: 60_000,
  idleMillis: 90_000,
  lingerMillis: 1000,
  streamsMax: 1500
}

const headerBytesMax = 32 * 1024
const headersMax = 200
/** A connection is given back after so many requests, so that none is kept for ever. */
const requestsPerSocketMax = 100_000
/** How often it is looked who has taken too long. */
const checkMillis = 1000
/** Where the page is reached when the API itself speaks TLS: by nobody but this machine. */
const pageHost = "127.0.0.1"
/** How much longer than it is told a client may send its next request, since that may be on its way already. */
const idleGraceMillis = 1000
/** How long streams may take to say goodbye. */
const closeMillis = 250

interface ApiServer {
  readonly url: string
  /** Where a browser finds the page, without the token. */
  readonly pageUrl: string | undefined
  /** Ends every stream, lets every connection go and gives the port back. */
  readonly close: () => Promise<void>
}

/** Serves the API. Rejects when the port cannot be had. */
export const serveApi = async (options: ServerOptions): Promise<ApiServer> => {
  const { step, host, port, token, certificates } = options
  const limits = { ...limitsDefault, ...options.limits }
  const guard = makeGuard({ token, host })
  const services = { ...options.services, knowsToken: guard.knowsToken }
  const api = makeApi({
    services,
    clock: options.clock,
    faults: options.faults,
    snapshot: options.snapshot,
    why: options.why,
    recording: options.recording,
    observers: options.observers,
    step,
    guard,
    streamsMax: limits.streamsMax,
    traffic: options.traffic
  })
  const settings = {
    headersTimeout: Math.min(limits.headersMillis, limits.requestMillis),
    requestTimeout: limits.requestMillis,
    keepAliveTimeout: limits.idleMillis,
    keepAliveTimeoutBuffer: Math.min(idleGraceMillis, limits.idleMillis),
    connectionsCheckingInterval: Math.min(checkMillis, limits.headersMillis),
    maxHeaderSize: headerBytesMax
  }
  const { page } = options
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const isOpen = page?.isFor(request) === true && guard.refuseSite(request) === undefined
    if (!isOpen || !page.answer(request, response)) api.answer(request, response)
  }
  const server =
    certificates === undefined
      ? createPlainServer(settings, answer)
      : createSecureServer({ ...settings, ...certificates.server }, answer)
  // A browser warns of a certificate that it does not know: to this machine the page comes without one.
  const pageServer =
    page === undefined || certificates === undefined ? server : createPlainServer(settings, answer)
  const servers = [...new Set([server, pageServer])]
  const connectionsOf = servers.map((each) => {
    const connections = limitConnections(each, limits)
    const noteAuthentication = (request: IncomingMessage): void => {
      const { socket } = request
      if (!connections.isAuthenticated(socket) && guard.authenticates(request)) {
        connections.authenticate(socket)
      }
    }
    each.prependListener("request", noteAuthentication)
    each.prependListener("checkContinue", noteAuthentication)
    return connections
  })
  for (const each of servers) {
    each.maxHeadersCount = headersMax
    each.maxRequestsPerSocket = requestsPerSocketMax
    refuseStrangers(each, limits)
    // Whoever asks first is told before the whole body has come.
    each.on("checkContinue", (request, response) => {
      if (guard.refuse(request) === undefined && !saysTooLarge(request)) response.writeContinue()
      answer(request, response)
    })
  }
  await listen(server, { port, host })
  if (pageServer !== server) {
    await listen(pageServer, { port: options.pagePort ?? 0, host: pageHost }).catch((error: unknown) => {
      server.close()
      throw error
    })
  }
  const scheme = certificates === undefined ? "http" : "https"
  const pageAt = addressOf(pageServer, pageServer === server ? host : pageHost)
  let closing: Promise<void> | undefined
  return {
    url: `${scheme}://${addressOf(server, host)}`,
    pageUrl: page === undefined ? undefined : `http://${pageAt}${pagePath}`,
    close: () =>
      (closing ??= new Promise((resolve) => {
        const closed = servers.map((each) => new Promise<void>((done) => each.close(() => done())))
        void Promise.all(closed).then(() => resolve())
        api.close()
        for (const each of servers) each.closeIdleConnections()
        for (const connections of connectionsOf) connections.closeUnauthenticated()
        setTimeout(() => servers.forEach((each) => each.closeAllConnections()), closeMillis).unref()
      }))
  }
}

/** Answers what is no request that the API could look at. */
const refuseStrangers = (server: Server, { lingerMillis }: ServerLimits): void => {
  /** Says why and closes. A client that keeps its own side open does not keep the connection. */
  const endWith = (socket: Duplex, status: string): void => {
    const lingering = setTimeout(() => socket.destroy(), lingerMillis).unref()
    socket.once("close", () => clearTimeout(lingering))
    socket.on("error", () => socket.destroy())
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  }
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy()
    endWith(socket, clientErrors[error.code ?? ""] ?? "400 Bad Request")
  })
  // Nothing is tunnelled, and no other protocol is spoken.
  server.on("connect", (_request, socket: Duplex) => endWith(socket, "405 Method Not Allowed"))
  server.on("checkExpectation", (_request, response) => {
    response.writeHead(417, { connection: "close" }).end()
  })
  server.on("tlsClientError", (_error, socket: Duplex) => socket.destroy())
}

const clientErrors: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout"
}

/** Where a client finds the server: by the name it was given, which its certificate has too, or by an address. */
const addressOf = (server: Server, host: string): string => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a listening server has no port")
  if (isIP(host) === 0) return `${host}:${address.port}`
  const reached = reachableAt(address.address)
  return `${address.family === "IPv6" ? `[${reached}]` : reached}:${address.port}`
}
