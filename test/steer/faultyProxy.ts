import { createServer, request as plainRequest } from "node:http"
import { request as secureRequest } from "node:https"
import type { AddressInfo } from "node:net"
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http"
import type { KubeContext } from "../../src/client/kubeContext.ts"

/** What becomes of a request: it is forwarded, or what the proxy does with it instead. */
export type Treatment =
  | "forward"
  /** The connection is cut before the server hears of it. */
  | "cutBefore"
  /** The server does it, and its answer is lost. */
  | "cutAfter"
  /** There is never an answer. */
  | "hang"
  /** The answer is a refusal with this code. */
  | 401
  | 403
  | 429
  | 500

export interface ProxiedRequest {
  readonly method: string
  readonly path: string
  readonly isLease: boolean
  /** Whether it writes anything but the Lease. */
  readonly isWrite: boolean
}

interface FaultyProxy {
  /** The context of the server, by way of the proxy. */
  readonly context: KubeContext
  /** How requests are treated from now on. */
  readonly treat: (treatment: (request: ProxiedRequest) => Treatment) => void
  /** Cuts all connections. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

/** A proxy between one steering process and its API server. */
export const openFaultyProxy = async (target: KubeContext): Promise<FaultyProxy> => {
  const forward = target.url.startsWith("https:") ? secureRequest : plainRequest
  let treatment: (request: ProxiedRequest) => Treatment = () => "forward"
  const upstream = new Set<ClientRequest>()
  const server = createServer((incoming, response) => {
    void respond(incoming, response)
  })
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", url: path = "" } = incoming
    const isLease = path.includes("/leases")
    const isWrite = method !== "GET" && !isLease
    const treated = treatment({ method, path, isLease, isWrite })
    const chunks: Array<Buffer> = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    if (treated === "hang") return
    if (treated === "cutBefore") return void response.destroy()
    if (typeof treated === "number") {
      const status = {
        kind: "Status",
        code: treated,
        reason: reasons[treated],
        message: messageOf(treated, path)
      }
      const retry = treated === 429 ? { "retry-after": "1" } : {}
      response.writeHead(treated, { "content-type": "application/json", ...retry })
      return void response.end(JSON.stringify({ ...status, details: { retryAfterSeconds: 1 } }))
    }
    const headers = { ...incoming.headers }
    delete headers["host"]
    const sent = forward(`${target.url}${path}`, {
      method,
      headers,
      ...(target.ca === undefined ? {} : { ca: target.ca }),
      rejectUnauthorized: !target.skipsTlsVerify
    })
    upstream.add(sent)
    sent.on("close", () => upstream.delete(sent))
    sent.on("error", () => response.destroy())
    sent.on("response", (answer) => {
      if (treated === "cutAfter") {
        answer.resume()
        answer.on("end", () => response.destroy())
        return
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      response.flushHeaders()
      answer.on("error", () => response.destroy())
      answer.pipe(response)
    })
    response.on("close", () => sent.destroy())
    sent.end(Buffer.concat(chunks))
  }
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const { port } = server.address() as AddressInfo
  const cut = (): void => {
    server.closeAllConnections()
    for (const it of upstream) it.destroy()
  }
  return {
    context: { ...target, url: `http://127.0.0.1:${port}` },
    treat: (next) => {
      treatment = next
    },
    cut,
    close: () => {
      cut()
      return new Promise((closed) => server.close(() => closed()))
    }
  }
}

const reasons: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  429: "TooManyRequests",
  500: "InternalError"
}

/** The authorizer's sentence, for objects of named groups. */
const messageOf = (code: number, path: string): string => {
  const [, group = "", resource = "", name = ""] =
    /^\/apis\/([^/]+)\/[^/]+\/namespaces\/[^/]+\/([^/]+)\/([^/?]+)/u.exec(path) ?? []
  return code === 403
    ? `${resource}.${group} "${name}" is forbidden: User "steer" cannot delete resource "${resource}"`
    : "by the proxy"
}
