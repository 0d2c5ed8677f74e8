import { createHash } from "node:crypto"
import Negotiator from "negotiator"
import { notAcceptable } from "./statuses.ts"

export interface ApiDocument {
  readonly contentType: string
  /** Undefined for a document that always changes, such as metrics. */
  readonly etag: string | undefined
  readonly body: string | Buffer
  readonly gzipped?: Buffer
}

/** SHA-256 in upper case. Clients only compare it. */
export const sha256Of = (text: string): string =>
  createHash("sha256").update(text).digest("hex").toUpperCase()

export const jsonDocument = (json: unknown, contentType = "application/json"): ApiDocument => {
  const body = `${JSON.stringify(json)}\n`
  return { contentType, etag: `"${sha256Of(body)}"`, body }
}

/** kube-apiserver indents `/version` and the list of paths at `/`, without a final newline. */
export const indentedDocument = (json: unknown): ApiDocument => {
  const body = JSON.stringify(json, undefined, 2)
  return { contentType: "application/json", etag: `"${sha256Of(body)}"`, body }
}

/** Throws a `Refusal` when the client accepts none of the media types. */
export const chooseMediaType = (accept: string | undefined, mediaTypes: ReadonlyArray<string>): string => {
  const [chosenType] = new Negotiator({ headers: { accept: accept || "*/*" } }).mediaTypes([...mediaTypes])
  if (chosenType === undefined) throw notAcceptable(mediaTypes)
  return chosenType
}
