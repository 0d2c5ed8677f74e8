import type { Server } from "node:net"

/**
 * Length of the kernel's queue of connections to accept. Node's 511 is short for thousands of clients at once, and a
 * client that finds the queue full retries a second later.
 */
const backlog = 4096

/** Resolves once the server listens; rejects if the port is not available. */
export const listenOn = (
  server: Server,
  { port, host }: { readonly port: number; readonly host: string }
): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ port, host, backlog }, () => {
      server.off("error", reject)
      resolve()
    })
  })
