import type { IncomingMessage, ServerResponse } from "node:http"
import type { LoggedRequest } from "../traffic/requestLog.ts"

export interface HttpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly warnings: ReadonlyArray<string>
  readonly warn: (text: string) => void
  /** The request's entry in the log, set once the path has been parsed. */
  logEntry?: LoggedRequest
}

export const makeExchange = (request: IncomingMessage, response: ServerResponse): HttpExchange => {
  const warnings: Array<string> = []
  const warn = (text: string): void => {
    if (!warnings.includes(text)) warnings.push(text)
  }
  return { request, response, warnings, warn }
}

export const contentTypeOf = ({ headers: { "content-type": header = "" } }: IncomingMessage): string =>
  (header.split(";")[0] ?? "").trim().toLowerCase()

export const disconnectSignal = (response: ServerResponse): AbortSignal => {
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
