import { createServer } from "node:http"
import { listenOn } from "../platform/sockets/listenOn.ts"
import { metricsMediaType } from "../server/metrics/metricsText.ts"
import type { AddressInfo } from "node:net"
import type { RunningSteering } from "./steerCluster.ts"

export interface SteerEndpoints {
  readonly port: number
  readonly close: () => Promise<void>
}

/** `/healthz`: the process works. `/readyz`: all watches are open. `/metrics`: the text format of Prometheus. */
export const serveSteerEndpoints = async (
  { isHealthy, whyNotReady, metricsText }: Pick<RunningSteering, "isHealthy" | "whyNotReady" | "metricsText">,
  { host, port }: { readonly host: string; readonly port: number }
): Promise<SteerEndpoints> => {
  const answerByPath: Readonly<Record<string, () => readonly [code: number, text: string]>> = {
    // A process that still steers after its Lease has ended is unhealthy.
    "/healthz": () => (isHealthy() ? [200, "ok"] : [500, "the Lease has ended, and its end was not noticed"]),
    "/readyz": () => {
      const why = whyNotReady()
      return why === undefined ? [200, "ok"] : [503, why]
    },
    "/metrics": () => [200, metricsText()]
  }
  const server = createServer((request, response) => {
    const [path = ""] = (request.url ?? "").split("?")
    const answer = Object.hasOwn(answerByPath, path) ? answerByPath[path] : undefined
    const isRead = request.method === "GET" || request.method === "HEAD"
    const [code, text] = isRead ? (answer?.() ?? [404, "404 page not found"]) : [405, "method not allowed"]
    const contentType = path === "/metrics" ? metricsMediaType : "text/plain; charset=utf-8"
    response.writeHead(code, { "content-type": contentType }).end(request.method === "HEAD" ? "" : text)
  })
  await listenOn(server, { port, host })
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
}
