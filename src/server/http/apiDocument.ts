import { createHash } from "node:crypto"
import Negotiator from "negotiator"
import { notAcceptable } from "./statuses.ts"

export interface ApiDocument {
  readonly contentType: string
  /** Undefined for a document that is never the same twice, such as metrics. */
  readonly etag: string | undefined
  readonly body: string | Buffer
  /** The compressed body, when it was compressed at build time. */
  readonly gzipped?: Buffer
}

/** SHA-256 in upper case. Clients only compare it. */
export const sha256Of = (text: string): string =>
  createHash("sha256").update(text).digest("hex").toUpperCase()

export const jsonDocument = (json: unknown, contentType = "application/json"): ApiDocument => {
  const body = `${JSON.stringify(json)}\n`
  return { contentType, etag: `"${sha256Of(body)}"`, body }
}

/** For `/version` and the list of paths at `/`, which kube-apiserver indents, without a newline at the end. */
export const indentedDocument = (json: unknown): ApiDocument => {
  const body = JSON.stringify(json, undefined, 2)
  return { contentType: "application/json", etag: `"${sha256Of(body)}"`, body }
}

/** Negotiates a media type; throws a `Refusal` when the client accepts none of these. */
export const chooseMediaType = (accept: string | undefined, mediaTypes: ReadonlyArray<string>): string => {
  const [best] = new Negotiator({ headers: { accept: accept || "*/*" } }).mediaTypes([...mediaTypes])
  if (best === undefined) throw notAcceptable(mediaTypes)
  return best
}
