import type { Server, Socket } from "node:net"

/**
 * Bounds for the connections of one listener, so that clients without a token cannot lock out clients that have one.
 * All times are the machine's: a connection knows nothing of a cluster's clock.
 */
export interface ConnectionLimits {
  /** Authenticated connections at one time. While there are so many, others are closed. */
  readonly connectionsMax: number
  /** Connections that have not authenticated, at one time. One more closes the oldest of them. */
  readonly unauthenticatedMax: number
  /** Time from the accepting of a connection until it must have authenticated. */
  readonly authenticationMillis: number
}

export const connectionLimitsDefault: ConnectionLimits = {
  connectionsMax: 2000,
  unauthenticatedMax: 1000,
  authenticationMillis: 10_000
}

/** The connections of one listener. */
export interface Connections {
  /** Takes the connection out of the bounds for unauthenticated ones, until it closes. */
  readonly authenticate: (socket: Socket) => void
  readonly isAuthenticated: (socket: Socket) => boolean
  readonly closeUnauthenticated: () => void
}

/**
 * Applies the limits to every connection from its first packet: a TLS handshake, headers and a body without a token
 * that never end are all connections that have not authenticated. A new connection is not refused for their sake. It
 * closes the oldest instead: honest clients authenticate within a few round trips, and are never the oldest for long.
 */
export const limitConnections = (server: Server, limits: ConnectionLimits): Connections => {
  const { connectionsMax, unauthenticatedMax, authenticationMillis } = limits
  // A Map keeps the order in which connections were accepted.
  const unauthenticated = new Map<string, Socket>()
  const authenticated = new WeakSet<Socket>()
  let authenticatedCount = 0

  const close = (peer: string, socket: Socket): void => {
    unauthenticated.delete(peer)
    socket.destroy()
  }

  // Runs before the listeners of the server itself, and sees a TCP connection whose TLS handshake has not begun.
  server.prependListener("connection", (socket: Socket) => {
    const peer = peerOf(socket)
    // A client that has gone already has no port.
    if (socket.remotePort === undefined || authenticatedCount >= connectionsMax) {
      // The server's own listeners, which come next, expect an open socket.
      process.nextTick(() => socket.destroy())
      return
    }
    // A client that has reset its connection may come back from the same port before that is known here.
    const reset = unauthenticated.get(peer)
    if (reset !== undefined) close(peer, reset)
    const [oldest] = unauthenticated
    if (oldest !== undefined && unauthenticated.size >= unauthenticatedMax) close(...oldest)
    unauthenticated.set(peer, socket)
    const deadline = setTimeout(() => {
      if (unauthenticated.get(peer) === socket) socket.destroy()
    }, authenticationMillis).unref()
    socket.once("close", () => {
      clearTimeout(deadline)
      if (unauthenticated.get(peer) === socket) unauthenticated.delete(peer)
    })
  })

  return {
    isAuthenticated: (socket) => authenticated.has(socket),
    authenticate: (socket) => {
      // A request of a TLS connection knows its TLS socket alone: the peer leads to the TCP socket below.
      const accepted = unauthenticated.get(peerOf(socket))
      if (accepted === undefined) return
      unauthenticated.delete(peerOf(socket))
      if (authenticatedCount >= connectionsMax) return void accepted.destroy()
      authenticated.add(socket)
      authenticatedCount += 1
      accepted.once("close", () => (authenticatedCount -= 1))
    },
    closeUnauthenticated: () => {
      for (const socket of unauthenticated.values()) socket.destroy()
    }
  }
}

/** What tells one open connection of a listener from another. */
const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
