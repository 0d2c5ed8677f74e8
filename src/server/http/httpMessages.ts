import type { IncomingHttpHeaders } from "node:http"

/** What the server reads of a request's head: Node's `IncomingMessage`, or a request made in the process. */
export interface IncomingRequest {
  readonly method?: string | undefined
  /** Path and query. */
  readonly url?: string | undefined
  /** By name in lower case. */
  readonly headers: IncomingHttpHeaders
  /** The values of each header, one for each line. */
  readonly headersDistinct: Readonly<Record<string, ReadonlyArray<string> | undefined>>
}

/** How the server answers: Node's `ServerResponse`, or one that becomes a `Response` in the process. */
export interface OutgoingResponse {
  readonly req: Pick<IncomingRequest, "method" | "url" | "headers">
  readonly headersSent: boolean
  readonly statusCode: number
  /** True once all was sent, or the client has disconnected. */
  readonly closed: boolean
  /** Bytes that were written and not yet sent. */
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
