import type { IncomingRequest, OutgoingResponse } from "../http/httpMessages.ts"
import type { Refusal } from "../http/statuses.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"
import type { LoggedRequest } from "../traffic/makeRequestLog.ts"

/** A request and its response, and what differs between a socket and a request in the process. */
export interface HttpConnection {
  readonly request: IncomingRequest
  readonly response: OutgoingResponse
  /** Reads the whole body. Rejects with a `Refusal` for one that is too large. */
  readonly readBody: () => Promise<Buffer>
  /** The user of the request, or why it is refused. */
  readonly authenticate: () => UserInfo | Refusal
}

export interface HttpExchange extends HttpConnection {
  readonly warnings: ReadonlyArray<string>
  readonly warn: (text: string) => void
  /** The request's entry in the log, set once the path has been parsed. */
  logEntry?: LoggedRequest
}

export const makeExchange = ({ request, response, readBody, authenticate }: HttpConnection): HttpExchange => {
  const warnings: Array<string> = []
  const warn = (text: string): void => {
    if (!warnings.includes(text)) warnings.push(text)
  }
  return { request, response, readBody, authenticate, warnings, warn }
}

export const contentTypeOf = ({ headers: { "content-type": header = "" } }: IncomingRequest): string =>
  (header.split(";")[0] ?? "").trim().toLowerCase()

export const disconnectSignal = (response: OutgoingResponse): AbortSignal => {
  if (response.closed) return AbortSignal.abort()
  const controller = new AbortController()
  response.once("close", () => controller.abort())
  return controller.signal
}

/** Marks the request in the log as waiting for the cluster's time until the promise settles. */
export const countAsSleeping = <A>({ logEntry }: HttpExchange, promise: Promise<A>): Promise<A> =>
  logEntry === undefined ? promise : logEntry.countAsSleeping(promise)

export const logStatusCode = ({ logEntry, response }: HttpExchange): void =>
  logEntry?.setStatusCode(response.headersSent ? response.statusCode : undefined)
