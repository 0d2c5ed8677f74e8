import type { Server, Socket } from "node:net"

/** Limits of one listener, so that clients without a token cannot lock out clients with a token. */
export interface ConnectionLimits {
  /** Authenticated connections beyond this number are closed. */
  readonly connectionsMax: number
  /** Beyond this number, a new unauthenticated connection closes the oldest. */
  readonly unauthenticatedMax: number
  /** An unauthenticated connection is closed after this time. */
  readonly authenticationMillis: number
}

export const connectionLimitsDefault: ConnectionLimits = {
  connectionsMax: 2000,
  unauthenticatedMax: 1000,
  authenticationMillis: 10_000
}

export interface LimitedConnections {
  readonly markAuthenticated: (socket: Socket) => void
  readonly isAuthenticated: (socket: Socket) => boolean
  readonly closeUnauthenticated: () => void
}

/** Connections count as unauthenticated until `markAuthenticated`. */
export const limitConnections = (server: Server, limits: ConnectionLimits): LimitedConnections => {
  const { connectionsMax, unauthenticatedMax, authenticationMillis } = limits
  const unauthenticated = new Map<PeerAddress, Socket>()
  const authenticated = new WeakSet<Socket>()
  let authenticatedCount = 0

  const closeUnauthenticatedSocket = (peer: PeerAddress, socket: Socket): void => {
    unauthenticated.delete(peer)
    socket.destroy()
  }

  // Runs on the TCP socket before the TLS handshake.
  server.prependListener("connection", (socket: Socket) => {
    const peer = peerOf(socket)
    // The client of a socket without a remote port is gone already.
    if (socket.remotePort === undefined || authenticatedCount >= connectionsMax) {
      // The server's own listeners expect an open socket.
      process.nextTick(() => socket.destroy())
      return
    }
    // After a reset, a client may reconnect from the same port before the old socket closes.
    const resetSocket = unauthenticated.get(peer)
    if (resetSocket !== undefined) closeUnauthenticatedSocket(peer, resetSocket)
    const [oldest] = unauthenticated
    if (oldest !== undefined && unauthenticated.size >= unauthenticatedMax)
      closeUnauthenticatedSocket(...oldest)
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
    markAuthenticated: (socket) => {
      // A TLS request has only the TLS socket: the peer's address identifies the TCP socket.
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

/** Address and port of the client. */
type PeerAddress = string

const peerOf = ({ remoteAddress, remotePort }: Socket): PeerAddress => `${remoteAddress} ${remotePort}`
