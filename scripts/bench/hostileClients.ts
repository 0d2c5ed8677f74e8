import { connect } from "node:net"
import { connect as connectSecurely } from "node:tls"
import { parentPort, workerData } from "node:worker_threads"
import type { Socket } from "node:net"

/**
 * Clients without a token that try to lock out the others; run as a worker. Each keeps its connection as long as the
 * server lets it, and then reconnects. They call this machine only, for two minutes at most.
 */
const { port, opened } = workerData as { readonly port: number; readonly opened: Int32Array }
const host = "127.0.0.1"
const reconnectMillis = 100
const dribbleMillis = 1000
const lifeMillis = 120_000

interface Attack {
  readonly clients: number
  readonly isSecure: boolean
  readonly beginning: Buffer
  /** Sent every second, so that the request stays unfinished. */
  readonly more: string | undefined
}

const text = (lines: ReadonlyArray<string>): Buffer => Buffer.from(lines.join("\r\n"))

const attacks: ReadonlyArray<Attack> = [
  // The head of a TLS record of 512 bytes with a ClientHello in it.
  { clients: 200, isSecure: false, beginning: Buffer.from("16030102000100", "hex"), more: "\0" },
  {
    clients: 200,
    isSecure: true,
    beginning: text(["GET /api/v1/pods HTTP/1.1", `Host: ${host}`, "X: "]),
    more: "x"
  },
  {
    clients: 200,
    isSecure: true,
    beginning: text(["POST /api/v1/namespaces HTTP/1.1", `Host: ${host}`, "Content-Length: 100000", "", "{"]),
    more: " "
  },
  { clients: 2000, isSecure: false, beginning: Buffer.alloc(0), more: undefined }
]

const dribbling = new Map<Socket, string>()
setInterval(() => {
  for (const [socket, more] of dribbling) if (socket.writable) socket.write(more)
}, dribbleMillis).unref()

let connecting = attacks.reduce((sum, { clients }) => sum + clients, 0)
const attack = (how: Attack, begun: () => void): void => {
  const { isSecure, beginning, more } = how
  const socket = isSecure ? connectSecurely({ port, host, rejectUnauthorized: false }) : connect(port, host)
  const begin = (): void => {
    Atomics.add(opened, 0, 1)
    if (beginning.length > 0) socket.write(beginning)
    if (more !== undefined) dribbling.set(socket, more)
    begun()
  }
  socket.once(isSecure ? "secureConnect" : "connect", begin)
  // A connection that closes while it opens counts as tried.
  socket.once("close", () => {
    begun()
    dribbling.delete(socket)
    setTimeout(() => attack(how, () => {}), reconnectMillis)
  })
  socket.on("error", () => {})
  socket.resume()
}

for (const how of attacks) {
  for (let client = 0; client < how.clients; client += 1) {
    let isBegun = false
    attack(how, () => {
      if (isBegun) return
      isBegun = true
      connecting -= 1
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
      if (connecting === 0) parentPort?.postMessage("all have connected")
    })
  }
}
setTimeout(() => process.exit(), lifeMillis).unref()
