import type { Server } from "node:net"

/** Connections that wait to be accepted; a client that finds the queue full retries a second later. */
const backlog = 4096

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
