import { Agent as PlainAgent, request as plainRequest } from "node:http"
import { Agent as SecureAgent, request as secureRequest } from "node:https"
import { Unreachable } from "./errors.ts"
import { impersonationOf } from "./impersonation.ts"
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http"
import type { Credentials } from "./credentials.ts"
import type { KubeContext } from "./kubeconfig.ts"

export interface Asked {
  readonly method?: string
  /** With its query. */
  readonly path: string
  readonly body?: unknown
  /** `application/json` by default. */
  readonly contentType?: string
}

export interface SendOptions {
  readonly timeout?: number
  readonly signal?: AbortSignal
}

/** Sends requests with one set of credentials over persistent connections. */
export interface Sender {
  readonly send: (asked: Asked, options: SendOptions) => Promise<IncomingMessage>
  /** Closes the connections once all requests in flight have ended. */
  readonly retire: (closed: () => void) => void
  readonly close: () => void
}

/** How long a request may be idle before it fails. */
export const silenceMillis = 30_000

export const makeSender = (context: KubeContext, credentials: Credentials): Sender => {
  const { url } = context
  const isSecure = url.startsWith("https:")
  const agent = isSecure ? secureAgent(context, credentials) : new PlainAgent({ keepAlive: true })
  const begin = isSecure ? secureRequest : plainRequest
  const asking = { ...whoAsks(credentials), ...impersonationOf(context.user) }
  let underWay = 0
  let retired: (() => void) | undefined
  const close = (): void => agent.destroy()
  const closeRetired = (): void => {
    if (retired === undefined || underWay > 0) return
    close()
    retired()
  }
  const send: Sender["send"] = (asked, options) =>
    new Promise((resolve, reject) => {
      const { method = "GET", path, body } = asked
      const bytes = body === undefined ? undefined : JSON.stringify(body)
      const headers = { ...asking, ...whatIsSent(asked, bytes) }
      const request: ClientRequest = begin(`${url}${path}`, { method, agent, headers, ...options })
      underWay += 1
      request.on("response", resolve)
      request.on("timeout", () => request.destroy(new Error(`no answer within ${silenceMillis / 1000} s`)))
      request.on("error", (error) => {
        reject(new Unreachable(`${url} cannot be reached: ${error.message}`, { cause: error }))
      })
      request.on("close", () => {
        underWay -= 1
        closeRetired()
      })
      request.end(bytes)
    })
  const retire: Sender["retire"] = (closed) => {
    retired = closed
    closeRetired()
  }
  return { send, retire, close }
}

const secureAgent = (
  { ca, isInsecure, serverName }: KubeContext,
  { certificate, key }: Credentials
): SecureAgent =>
  new SecureAgent({
    keepAlive: true,
    rejectUnauthorized: !isInsecure,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName })
  })

const whoAsks = ({ authorization }: Credentials): OutgoingHttpHeaders => ({
  "user-agent": "charthouse",
  ...(authorization === undefined ? {} : { authorization })
})

const whatIsSent = (
  { contentType = "application/json" }: Asked,
  bytes: string | undefined
): OutgoingHttpHeaders => ({
  accept: "application/json",
  ...(bytes === undefined ? {} : { "content-type": contentType, "content-length": Buffer.byteLength(bytes) })
})
