import type { Server } from "node:net"

/**
 * Connections that wait in the kernel until the event loop accepts them. Node's 511 are few where thousands connect at
 * once: a client that finds the queue full tries again a second later.
 */
const backlog = 4096

/** Resolves when the server listens. Rejects when the port cannot be had. */
export const listen = (
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
