import type { Server, Socket } from "node:net"

/** Limits of one listener, so that clients without a token cannot lock out clients with one. Times are real time. */
export interface ConnectionLimits {
  /** Concurrent authenticated connections. More are closed. */
  readonly connectionsMax: number
  /** Concurrent unauthenticated connections. One more closes the oldest. */
  readonly unauthenticatedMax: number
  readonly authenticationMillis: number
}

export const connectionLimitsDefault: ConnectionLimits = {
  connectionsMax: 2000,
  unauthenticatedMax: 1000,
  authenticationMillis: 10_000
}

export interface LimitedConnections {
  /** Exempts the connection from the limits for unauthenticated ones. */
  readonly authenticate: (socket: Socket) => void
  readonly isAuthenticated: (socket: Socket) => boolean
  readonly closeUnauthenticated: () => void
}

/**
 * Unfinished TLS handshakes, headers and bodies count as unauthenticated. When there are too many, the oldest is
 * closed: honest clients authenticate soon.
 */
export const limitConnections = (server: Server, limits: ConnectionLimits): LimitedConnections => {
  const { connectionsMax, unauthenticatedMax, authenticationMillis } = limits
  const unauthenticated = new Map<string, Socket>()
  const authenticated = new WeakSet<Socket>()
  let authenticatedCount = 0

  const close = (peer: string, socket: Socket): void => {
    unauthenticated.delete(peer)
    socket.destroy()
  }

  // Runs before the server's own listeners, on the TCP socket before the TLS handshake.
  server.prependListener("connection", (socket: Socket) => {
    const peer = peerOf(socket)
    if (socket.remotePort === undefined || authenticatedCount >= connectionsMax) {
      // The server's own listeners run next and expect an open socket.
      process.nextTick(() => socket.destroy())
      return
    }
    // A client that reset its connection may reconnect from the same port before the reset is noticed here.
    const resetSocket = unauthenticated.get(peer)
    if (resetSocket !== undefined) close(peer, resetSocket)
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
      // A TLS request has the TLS socket only; the peer's address leads to the TCP socket.
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

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
