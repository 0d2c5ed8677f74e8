import type { Fields } from "../../domain/fields.ts"
import { isDescribed, rootTypeOf } from "../../domain/admission/wireTypes.ts"
import { servedKindOf } from "../../domain/kinds.ts"
import { quoted } from "../../domain/admission/fieldErrors.ts"
import { badRequest } from "../statuses.ts"
import { isReadable, readMessage } from "./readMessage.ts"
import { bytesAt } from "./wire.ts"

/**
 * Reads an object in Kubernetes' protobuf encoding: a magic prefix, then an envelope with the type and the object.
 * Undefined for another encoding or an unknown kind; throws a `Refusal` when the object is malformed.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go, pkg/runtime/generated.proto,
 * transformDecodeError in staging/src/k8s.io/apiserver/pkg/endpoints/handlers/response.go.
 */
export const readProtobuf = (body: Buffer): Fields | undefined => {
  const envelope = openEnvelope(body)
  if (envelope === undefined) return undefined
  const { apiVersion, kind, object } = envelope
  const struct = structOf({ apiVersion, kind })
  if (struct === undefined || !isReadable(struct)) return undefined
  try {
    return { apiVersion, kind, ...readMessage(object, struct) }
  } catch (error) {
    const version = quoted(apiVersion.split("/").at(-1) ?? "")
    throw badRequest(`${kind} in version ${version} cannot be handled as a ${kind}: ${whyUnreadable(error)}`)
  }
}

interface Envelope {
  readonly apiVersion: string
  readonly kind: string
  readonly object: Buffer
}

const prefix = Buffer.from("k8s\0")

const openEnvelope = (body: Buffer): Envelope | undefined => {
  if (!body.subarray(0, prefix.length).equals(prefix)) return undefined
  const message = body.subarray(prefix.length)
  try {
    const type = bytesAt(message, 1)
    const encoding = bytesAt(message, 3).toString()
    const contentType = bytesAt(message, 4).toString()
    if (encoding !== "" || (contentType !== "" && contentType !== protobufMediaType)) return undefined
    const [apiVersion, kind] = [bytesAt(type, 1).toString(), bytesAt(type, 2).toString()]
    return { apiVersion, kind, object: bytesAt(message, 2) }
  } catch {
    return undefined
  }
}

export const protobufMediaType = "application/vnd.kubernetes.protobuf"

const bodyStructs: ReadonlySet<string> = new Set(["autoscaling/v1/Scale", "policy/v1/Eviction"])

const structOf = (type: { readonly apiVersion: string; readonly kind: string }): string | undefined => {
  const kind = servedKindOf(type)
  if (kind !== undefined) return isDescribed(kind) ? rootTypeOf(kind) : undefined
  const isBody = type.kind === "DeleteOptions" || bodyStructs.has(`${type.apiVersion}/${type.kind}`)
  return isBody ? type.kind : undefined
}

const whyUnreadable = (error: unknown): string => {
  if (error instanceof RangeError) return "unexpected EOF"
  return error instanceof Error ? error.message : String(error)
}
