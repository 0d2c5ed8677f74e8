import { responseBody, responseHeaders } from "./responseText.ts"
import { makeRefusal } from "../http/statuses.ts"
import type { ApiAnswer, StreamAnswer } from "../requests/apiCall.ts"
import type { HttpExchange } from "../requests/httpExchange.ts"
import type { ApiDocument } from "../http/apiDocument.ts"
import type { OutgoingResponse } from "../http/httpMessages.ts"
import type { ResponseOptions } from "./responseText.ts"

export const sendResponse = (
  response: OutgoingResponse,
  {
    code,
    headers,
    body
  }: {
    readonly code: number
    readonly headers: Record<string, string | Array<string>>
    readonly body: string | Buffer
  }
): void => {
  // The headers were sent: only the end of the connection can tell the client of the error.
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(code, { ...headers, "content-length": Buffer.byteLength(body) })
  response.end(response.req.method === "HEAD" ? undefined : body)
}

export const sendAnswer = (
  { response, warnings }: HttpExchange,
  answer: Exclude<ApiAnswer, StreamAnswer>,
  options: ResponseOptions
): void | Promise<void> => {
  const contentType = options.format.yaml ? "application/yaml" : "application/json"
  const code = answer.type === "list" ? 200 : answer.code
  const send = (sentBody: string | Buffer): void =>
    sendResponse(response, { code, headers: responseHeaders(contentType, { warnings }), body: sentBody })
  const body = responseBody(answer, options)
  return body instanceof Promise ? body.then(send) : send(body)
}

export const sendJson = (
  response: OutgoingResponse,
  { code, object }: { readonly code: number; readonly object: object }
): void =>
  sendResponse(response, {
    code,
    headers: responseHeaders("application/json"),
    body: `${JSON.stringify(object)}\n`
  })

/** Sends a 304 when the client's ETag matches, and gzip when the client accepts it. */
export const sendDocument = (response: OutgoingResponse, document: ApiDocument): void => {
  const { headers } = response.req
  const { contentType, etag, body, gzipped } = document
  const etagHeaders = etag === undefined ? {} : { etag, vary: "Accept" }
  if (etag !== undefined && headers["if-none-match"] === etag) {
    sendResponse(response, {
      code: 304,
      headers: responseHeaders(contentType, { extraHeaders: etagHeaders }),
      body: ""
    })
    return
  }
  const isZipped = gzipped !== undefined && /\bgzip\b/.test(headers["accept-encoding"]?.toString() ?? "")
  const encodingHeaders = isZipped ? { "content-encoding": "gzip" } : {}
  sendResponse(response, {
    code: 200,
    headers: responseHeaders(contentType, { extraHeaders: { ...etagHeaders, ...encodingHeaders } }),
    body: isZipped ? gzipped : body
  })
}

/** Closes the connection, or responds with a 504 although the request was carried out. */
export const loseResponse = (response: OutgoingResponse, code: 504 | undefined): void => {
  if (code === undefined) return void response.destroy()
  throw makeRefusal(code, "Timeout", "request did not complete within requested timeout")
}
