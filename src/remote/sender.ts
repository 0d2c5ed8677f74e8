import { Agent as PlainAgent, request as plainRequest } from "node:http"
import { Agent as SecureAgent, request as secureRequest } from "node:https"
import { Unreachable } from "./errors.ts"
import { impersonationOf } from "./impersonation.ts"
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http"
import type { Credentials } from "./credentials.ts"
import type { KubeContext } from "./kubeconfig.ts"

export interface Asked {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  /** `application/json` by default. */
  readonly contentType?: string
}

export interface SendOptions {
  readonly timeout?: number
  readonly signal?: AbortSignal
}

export interface Sender {
  readonly send: (request: Asked, options: SendOptions) => Promise<IncomingMessage>
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
  const startRequest = isSecure ? secureRequest : plainRequest
  const clientHeaders = { ...authHeaders(credentials), ...impersonationOf(context.user) }
  let inFlight = 0
  let onRetired: (() => void) | undefined
  const close = (): void => agent.destroy()
  const closeRetired = (): void => {
    if (onRetired === undefined || inFlight > 0) return
    close()
    onRetired()
  }
  const send: Sender["send"] = (httpRequest, options) =>
    new Promise((resolve, reject) => {
      const { method = "GET", path, body } = httpRequest
      const bytes = body === undefined ? undefined : JSON.stringify(body)
      const headers = { ...clientHeaders, ...contentHeaders(httpRequest, bytes) }
      const request: ClientRequest = startRequest(`${url}${path}`, { method, agent, headers, ...options })
      inFlight += 1
      request.on("response", resolve)
      request.on("timeout", () => request.destroy(new Error(`no answer within ${silenceMillis / 1000} s`)))
      request.on("error", (error) => {
        reject(new Unreachable(`${url} cannot be reached: ${error.message}`, { cause: error }))
      })
      request.on("close", () => {
        inFlight -= 1
        closeRetired()
      })
      request.end(bytes)
    })
  const retire: Sender["retire"] = (onClosed) => {
    onRetired = onClosed
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

const authHeaders = ({ authorization }: Credentials): OutgoingHttpHeaders => ({
  "user-agent": "charthouse",
  ...(authorization === undefined ? {} : { authorization })
})

const contentHeaders = (
  { contentType = "application/json" }: Asked,
  bytes: string | undefined
): OutgoingHttpHeaders => ({
  accept: "application/json",
  ...(bytes === undefined ? {} : { "content-type": contentType, "content-length": Buffer.byteLength(bytes) })
})
