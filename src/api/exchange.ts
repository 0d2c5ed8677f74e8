import type { IncomingMessage, ServerResponse } from "node:http"
import type { LoggedRequest } from "./requestLog.ts"

/** A request, where its answer goes, and what the client is to know whether it gets what it asked for or not. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly warnings: ReadonlyArray<string>
  readonly warn: (text: string) => void
  /** The request in the log, once it is known what it is. */
  logged?: LoggedRequest
}

export const openExchange = (request: IncomingMessage, response: ServerResponse): Exchange => {
  const warnings: Array<string> = []
  const warn = (text: string): void => {
    if (!warnings.includes(text)) warnings.push(text)
  }
  return { request, response, warnings, warn }
}

/** What a body is said to be, without how its letters are written. */
export const contentTypeOf = ({ headers: { "content-type": stated = "" } }: IncomingMessage): string =>
  (stated.split(";")[0] ?? "").trim().toLowerCase()

/** Fires when the client has gone before it was answered. */
export const goneSignal = (response: ServerResponse): AbortSignal => {
  if (response.closed) return AbortSignal.abort()
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  return gone.signal
}

/** What waits for the cluster's time, told of in the log. */
export const asleep = <A>({ logged }: Exchange, lasting: Promise<A>): Promise<A> =>
  logged === undefined ? lasting : logged.asleep(lasting)

export const noteAnswer = ({ logged, response }: Exchange): void =>
  logged?.answered(response.headersSent ? response.statusCode : undefined)
