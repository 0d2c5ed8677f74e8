import { Agent as PlainAgent, request as plainRequest } from "node:http"
import { Agent as SecureAgent, request as secureRequest } from "node:https"
import { TLSSocket } from "node:tls"
import { Unreachable, UntrustedCertificate } from "./clientErrors.ts"
import { impersonationHeaders } from "./impersonationHeaders.ts"
import type { Socket } from "node:net"
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http"
import type { ClientCredentials } from "./credentials.ts"
import type { KubeContext } from "./kubeContext.ts"

export interface HttpRequest {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
}

export interface SendOptions {
  /** Limits the time without data; unlimited by default. */
  readonly timeoutMillis?: number
  readonly signal?: AbortSignal
}

export interface RequestSender {
  readonly send: (request: HttpRequest, options: SendOptions) => Promise<IncomingMessage>
  /** Closes the connections when all requests in flight have ended. */
  readonly closeWhenIdle: (onClosed: () => void) => void
  readonly close: () => void
}

/** The `timeoutMillis` of requests that do not stream. */
export const idleTimeoutMillis = 30_000

export const makeRequestSender = (context: KubeContext, credentials: ClientCredentials): RequestSender => {
  const { url } = context
  const isSecure = url.startsWith("https:")
  const agent = isSecure ? secureAgent(context, credentials) : new PlainAgent({ keepAlive: true })
  const startRequest = isSecure ? secureRequest : plainRequest
  const clientHeaders = { ...authHeaders(credentials), ...impersonationHeaders(context.user) }
  let inFlight = 0
  let onClosedWhenIdle: (() => void) | undefined
  const close = (): void => agent.destroy()
  const closeIfIdle = (): void => {
    if (onClosedWhenIdle === undefined || inFlight > 0) return
    close()
    onClosedWhenIdle()
  }
  const send: RequestSender["send"] = (httpRequest, { timeoutMillis = 0, signal }) =>
    new Promise((resolve, reject) => {
      const { method = "GET", path, body } = httpRequest
      const bytes = body === undefined ? undefined : JSON.stringify(body)
      const headers = { ...clientHeaders, ...contentHeaders(httpRequest, bytes) }
      const limits = { timeout: timeoutMillis, ...(signal === undefined ? {} : { signal }) }
      const request: ClientRequest = startRequest(`${url}${path}`, { method, agent, headers, ...limits })
      inFlight += 1
      request.on("response", resolve)
      request.on("socket", ignoreSocketErrors)
      request.on("timeout", () => request.destroy(new Error(`no answer within ${timeoutMillis / 1000} s`)))
      request.on("error", (error) => {
        reject(
          isVerificationError(error, request.socket)
            ? new UntrustedCertificate(`${url} has a certificate that is not trusted: ${error.message}`, {
                cause: error
              })
            : new Unreachable(`${url} cannot be reached: ${error.message}`, { cause: error })
        )
      })
      request.on("close", () => {
        inFlight -= 1
        closeIfIdle()
      })
      request.end(bytes)
    })
  const closeWhenIdle: RequestSender["closeWhenIdle"] = (onClosed) => {
    onClosedWhenIdle = onClosed
    closeIfIdle()
  }
  return { send, closeWhenIdle, close }
}

/** Node destroys a socket with the error that it keeps as `authorizationError`. */
const isVerificationError = (error: Error, socket: Socket | null): boolean =>
  socket instanceof TLSSocket && "code" in error && String(socket.authorizationError) === error.code

/**
 * Aborting a request while its response ends destroys the socket when Node has already removed its error listener:
 * without a listener the process would end.
 */
const ignoreSocketErrors = (socket: Socket): void => {
  if (!socket.listeners("error").includes(ignoreError)) socket.on("error", ignoreError)
}

const ignoreError = (): void => {}

const secureAgent = (
  { ca, skipsTlsVerify, serverName }: KubeContext,
  { certificate, key }: ClientCredentials
): SecureAgent =>
  new SecureAgent({
    keepAlive: true,
    rejectUnauthorized: !skipsTlsVerify,
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName })
  })

const authHeaders = ({ authorization }: ClientCredentials): OutgoingHttpHeaders => ({
  "user-agent": "charthouse",
  ...(authorization === undefined ? {} : { authorization })
})

const contentHeaders = (
  { contentType = "application/json" }: HttpRequest,
  bytes: string | undefined
): OutgoingHttpHeaders => ({
  accept: "application/json",
  ...(bytes === undefined ? {} : { "content-type": contentType, "content-length": Buffer.byteLength(bytes) })
})
