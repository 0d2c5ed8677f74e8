import { errorText } from "../../kubernetes/meta/text/errorText.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import { hasWireType, wireTypeOf } from "../../kubernetes/admission/decoding/wireTypes.ts"
import { badRequest } from "../http/statuses.ts"
import { isKnownStruct, decodeMessage } from "./decodeMessage.ts"
import { bytesOfField } from "./wireFormat.ts"
import { goQuote } from "../../kubernetes/meta/text/goQuote.ts"

/**
 * Undefined for another encoding or an unknown kind; throws a `Refusal` for a malformed object.
 *
 * Source: apimachinery/pkg/runtime/serializer/protobuf/protobuf.go, pkg/runtime/generated.proto,
 * transformDecodeError in apiserver/pkg/endpoints/handlers/response.go.
 */
export const decodeProtobufObject = (body: Buffer): Fields | undefined => {
  const envelope = openEnvelope(body)
  if (envelope === undefined) return undefined
  const { apiVersion, kind, object } = envelope
  const struct = structOf({ apiVersion, kind })
  if (struct === undefined || !isKnownStruct(struct)) return undefined
  try {
    return { apiVersion, kind, ...decodeMessage(object, struct) }
  } catch (error) {
    const version = goQuote(apiVersion.split("/").at(-1) ?? "")
    throw badRequest(`${kind} in version ${version} cannot be handled as a ${kind}: ${whyUnreadable(error)}`)
  }
}

interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly object: Buffer
}

const envelopePrefix = Buffer.from("k8s\0")

const openEnvelope = (body: Buffer): Envelope | undefined => {
  if (!body.subarray(0, envelopePrefix.length).equals(envelopePrefix)) return undefined
  const message = body.subarray(envelopePrefix.length)
  try {
    // Fields of runtime.Unknown: 1 is the type, 2 the object, 3 the encoding, 4 the content type.
    const type = bytesOfField(message, 1)
    const encoding = bytesOfField(message, 3).toString()
    const contentType = bytesOfField(message, 4).toString()
    if (encoding !== "" || (contentType !== "" && contentType !== protobufMediaType)) return undefined
    const [apiVersion, kind] = [bytesOfField(type, 1).toString(), bytesOfField(type, 2).toString()]
    return { apiVersion, kind, object: bytesOfField(message, 2) }
  } catch {
    return undefined
  }
}

export const protobufMediaType = "application/vnd.kubernetes.protobuf"

const structOf = (type: { readonly apiVersion: string; readonly kind: string }): string | undefined => {
  const [version = "", group = ""] = type.apiVersion.split("/").toReversed()
  const name = { group, version, kind: type.kind }
  if (hasWireType(name)) return wireTypeOf(name)
  // All groups and versions share the struct of DeleteOptions.
  return type.kind === "DeleteOptions" ? type.kind : undefined
}

/** The decoder throws a `RangeError` beyond the end of the buffer. */
const whyUnreadable = (error: unknown): string => {
  if (error instanceof RangeError) return "unexpected EOF"
  return errorText(error)
}
