import type { ServerResponse } from "node:http"
import { headersFor, send, textOf } from "./respond.ts"
import { refusal } from "./statuses.ts"
import type { Answer, StreamAnswer } from "./call.ts"
import type { Exchange } from "./exchange.ts"
import type { PublishedDocument } from "./publishedDocument.ts"
import type { Manner } from "./respond.ts"

export const sendAnswer = (
  { response, warnings }: Exchange,
  answer: Exclude<Answer, StreamAnswer>,
  manner: Manner
): void => {
  const contentType = manner.accepted.yaml ? "application/yaml" : "application/json"
  const code = answer.type === "list" ? 200 : answer.code
  send(response, { code, headers: headersFor(contentType, { warnings }), body: textOf(answer, manner) })
}

export const sendObject = (
  response: ServerResponse,
  { code, object }: { readonly code: number; readonly object: object }
): void =>
  send(response, { code, headers: headersFor("application/json"), body: `${JSON.stringify(object)}\n` })

/** Sends a document, as 304 when the client's ETag matches and compressed when it accepts gzip. */
export const sendDocument = (response: ServerResponse, document: PublishedDocument): void => {
  const { headers } = response.req
  const { contentType, etag, body, gzipped } = document
  const more = etag === undefined ? {} : { etag, vary: "Accept" }
  if (etag !== undefined && headers["if-none-match"] === etag) {
    send(response, { code: 304, headers: headersFor(contentType, { more }), body: "" })
    return
  }
  const isZipped = gzipped !== undefined && /\bgzip\b/.test(headers["accept-encoding"]?.toString() ?? "")
  const encoding = isZipped ? { "content-encoding": "gzip" } : {}
  send(response, {
    code: 200,
    headers: headersFor(contentType, { more: { ...more, ...encoding } }),
    body: isZipped ? gzipped : body
  })
}

export const loseAnswer = (response: ServerResponse, code: 504 | undefined): void => {
  if (code === undefined) return void response.destroy()
  throw refusal(code, "Timeout", "request did not complete within requested timeout")
}
