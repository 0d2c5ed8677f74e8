import { makeResponseBody } from "./responseBody.ts"
import type { IncomingRequest, OutgoingResponse, ResponseHeaders } from "../http/httpMessages.ts"

/** The server's writes become a `Response` of `fetch`, without a socket. */
export interface FetchedResponse extends OutgoingResponse {
  /** Resolves with the head, before a stream's body. */
  readonly response: Promise<Response>
  readonly fail: (error: unknown) => void
}

/** The constructor of `Response` demands no body for these codes. */
const bodilessCodes: ReadonlySet<number> = new Set([204, 205, 304])

export const makeFetchedResponse = (req: IncomingRequest): FetchedResponse => {
  const { promise: response, resolve, reject } = Promise.withResolvers<Response>()
  let head: { readonly code: number; readonly headers: Headers } | undefined
  let isAnswered = false
  let closed = false
  let closeListeners: Array<() => void> = []
  let drainListeners: Array<() => void> = []

  const close = (): void => {
    if (closed) return
    closed = true
    const listeners = closeListeners
    closeListeners = []
    for (const listener of listeners) listener()
  }
  const body = makeResponseBody({
    onDrained: () => {
      const listeners = drainListeners
      drainListeners = []
      for (const listener of listeners) listener()
    },
    onCancelled: close
  })
  const resolveOnce = (content: ReadableStream | Uint8Array | undefined): void => {
    if (isAnswered || head === undefined) return
    isAnswered = true
    const { code: status, headers } = head
    const isBodiless = req.method === "HEAD" || bodilessCodes.has(status)
    resolve(new Response(isBodiless ? null : content, { status, headers }))
  }
  const fail = (error: unknown): void => {
    if (isAnswered) body.fail(error)
    isAnswered = true
    reject(error)
    close()
  }
  return {
    req,
    response,
    fail,
    get headersSent() {
      return head !== undefined
    },
    get statusCode() {
      return head?.code ?? 200
    },
    get closed() {
      return closed
    },
    get writableLength() {
      return body.unreadBytes()
    },
    writeHead: (code, headers) => {
      if (!closed) head = { code, headers: toHeaders(headers) }
    },
    flushHeaders: () => resolveOnce(body.stream),
    write: (bytes) => {
      resolveOnce(body.stream)
      body.write(toBytes(bytes))
    },
    end: (bytes = "") => {
      const content = toBytes(bytes)
      if (isAnswered) body.write(content)
      else resolveOnce(content)
      body.end()
      // To the server the exchange is over, however long the client reads.
      queueMicrotask(close)
    },
    destroy: () => fail(connectionClosedError()),
    once: (event, listener) => (event === "close" ? closeListeners : drainListeners).push(listener),
    // No connection can break within the process.
    on: () => {}
  }
}

const encoder = new TextEncoder()
const toBytes = (bytes: Buffer | string): Uint8Array<ArrayBuffer> =>
  typeof bytes === "string" ? encoder.encode(bytes) : (bytes as Uint8Array<ArrayBuffer>)

const toHeaders = (responseHeaders: ResponseHeaders): Headers => {
  const headers = new Headers()
  for (const [name, values] of Object.entries(responseHeaders)) {
    for (const value of [values].flat()) headers.append(name, String(value))
  }
  return headers
}

/** `fetch` rejects with this error when a server closes the connection. */
const connectionClosedError = (): TypeError =>
  new TypeError("fetch failed", {
    cause: Object.assign(new Error("the server closed the connection"), { code: "ECONNRESET" })
  })
