import type { IncomingHttpHeaders } from "node:http"

/** A request's head: Node's `IncomingMessage`, or a request within the process. */
export interface IncomingRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly headersDistinct: Readonly<Record<string, ReadonlyArray<string> | undefined>>
}

/** Node's `ServerResponse`, or a response that becomes a `Response` within the process. */
export interface OutgoingResponse {
  readonly req: Pick<IncomingRequest, "method" | "url" | "headers">
  readonly headersSent: boolean
  readonly statusCode: number
  /** True once all was sent, or the client has disconnected. */
  readonly closed: boolean
  readonly writableLength: number
  readonly writeHead: (code: number, headers: ResponseHeaders) => unknown
  readonly flushHeaders: () => void
  readonly write: (bytes: Buffer | string) => unknown
  readonly end: (bytes?: Buffer | string) => unknown
  /** Closes the connection at once, also without a response. */
  readonly destroy: () => unknown
  readonly once: (event: "close" | "drain", listener: () => void) => unknown
  readonly on: (event: "error", listener: () => void) => unknown
}

export type ResponseHeaders = Record<string, string | number | Array<string>>
