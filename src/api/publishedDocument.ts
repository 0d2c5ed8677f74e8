import { createHash } from "node:crypto"
import Negotiator from "negotiator"
import { notAcceptable } from "./statuses.ts"

export interface PublishedDocument {
  readonly contentType: string
  readonly etag: string
  readonly body: string | Buffer
  /** The compressed body, when it was compressed at build time. */
  readonly gzipped?: Buffer
}

/** SHA-256 in upper case. Clients only compare it. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").toUpperCase()

export const jsonDocument = (json: unknown, contentType = "application/json"): PublishedDocument => {
  const body = `${JSON.stringify(json)}\n`
  return { contentType, etag: `"${hashOf(body)}"`, body }
}

export const indentedDocument = (json: unknown): PublishedDocument => {
  const body = JSON.stringify(json, undefined, 2)
  return { contentType: "application/json", etag: `"${hashOf(body)}"`, body }
}

/** Negotiates a media type; throws a `Refusal` when the client accepts none of these. */
export const chooseForm = (accept: string | undefined, forms: ReadonlyArray<string>): string => {
  const [best] = new Negotiator({ headers: { accept: accept || "*/*" } }).mediaTypes([...forms])
  if (best === undefined) throw notAcceptable(forms)
  return best
}
