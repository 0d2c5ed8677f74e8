import type { IncomingRequest, OutgoingResponse } from "../http/httpMessages.ts"
import type { ApiRoute } from "../findRoute.ts"
import type { Refusal } from "../http/statuses.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"
import type { LoggedRequest } from "../traffic/makeRequestLog.ts"

/** Hides whether the request came through a socket or from within the process. */
export interface HttpConnection {
  readonly request: IncomingRequest
  readonly response: OutgoingResponse
  /** Rejects with a `Refusal` for a body that is too large. */
  readonly readBody: () => Promise<Buffer>
  readonly authenticate: () => UserInfo | Refusal
}

export interface HttpExchange extends HttpConnection {
  readonly warnings: ReadonlyArray<string>
  readonly warn: (text: string) => void
  logEntry?: LoggedRequest
  /** For metrics: set once the resource and the verb are known to be served. */
  route: ApiRoute | undefined
  /** A stream is measured when it ends. */
  isStream: boolean
  readonly startedMillis: number
}

export const makeExchange = ({ request, response, readBody, authenticate }: HttpConnection): HttpExchange => {
  const warnings: Array<string> = []
  const warn = (text: string): void => {
    if (!warnings.includes(text)) warnings.push(text)
  }
  return {
    request,
    response,
    readBody,
    authenticate,
    warnings,
    warn,
    route: undefined,
    isStream: false,
    startedMillis: performance.now()
  }
}

export const contentTypeOf = ({ headers: { "content-type": header = "" } }: IncomingRequest): string =>
  (header.split(";")[0] ?? "").trim().toLowerCase()

export const disconnectSignal = (response: OutgoingResponse): AbortSignal => {
  if (response.closed) return AbortSignal.abort()
  const controller = new AbortController()
  response.once("close", () => controller.abort())
  return controller.signal
}

export const countAsSleepingUntil = <A>({ logEntry }: HttpExchange, promise: Promise<A>): Promise<A> =>
  logEntry === undefined ? promise : logEntry.countAsSleepingUntil(promise)

export const logStatusCode = ({ logEntry, response }: HttpExchange): void =>
  logEntry?.setStatusCode(response.headersSent ? response.statusCode : undefined)
