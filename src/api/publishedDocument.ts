import { createHash } from "node:crypto"
import Negotiator from "negotiator"
import { notAcceptable } from "./statuses.ts"

/** A document about the API itself, as it goes over the wire. */
export interface PublishedDocument {
  readonly contentType: string
  /** The same text has the same tag: a client that has it need not read it again. */
  readonly etag: string
  readonly body: string | Buffer
  /** The body for clients that accept gzip, where it was compressed beforehand. */
  readonly gzipped?: Buffer
}

/** What names a text: clients and indexes compare it and read nothing into it. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex").toUpperCase()

export const jsonDocument = (json: unknown, contentType = "application/json"): PublishedDocument => {
  const body = `${JSON.stringify(json)}\n`
  return { contentType, etag: `"${hashOf(body)}"`, body }
}

/** A document that is read by people. */
export const indentedDocument = (json: unknown): PublishedDocument => {
  const body = JSON.stringify(json, undefined, 2)
  return { contentType: "application/json", etag: `"${hashOf(body)}"`, body }
}

/** The form a client likes best of those there are; throws a `Refusal` when it likes none. */
export const chooseForm = (accept: string | undefined, forms: ReadonlyArray<string>): string => {
  const [best] = new Negotiator({ headers: { accept: accept || "*/*" } }).mediaTypes([...forms])
  if (best === undefined) throw notAcceptable(forms)
  return best
}
