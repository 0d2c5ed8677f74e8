import type { Server } from "node:net"

/** A client that finds the queue full retries a second later; Node's default is 511. */
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
