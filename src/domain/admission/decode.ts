import { isFields, type Fields } from "../fields.ts"
import { pruned } from "../customResources/prune.ts"
import { apiVersionOf, builtInKinds, type Kind, type KindRegistry } from "../kinds.ts"
import type { CustomVersion } from "../customResources/definitions.ts"
import type { Draft } from "../objects.ts"
import { decodeStruct, startDecoding, type Decoding, type FieldPath } from "./decodeFields.ts"
import { quoted } from "./fieldErrors.ts"
import { rootTypeOf } from "./wireTypes.ts"

/**
 * From a parsed YAML or JSON document to an object of a served kind, or to the error that Kubernetes would
 * give.
 *
 * Source: staging/src/k8s.io/apimachinery/pkg/runtime (converter, serializer/json), pkg/runtime/error.go
 * (missing kind and version).
 */
interface DecodeOptions {
  /** Whether unknown and repeated fields are errors; otherwise they are warnings, and dropped. */
  readonly strict: boolean
  /** Fields that the text gives twice, which a parsed document cannot show: `spec.replicas`. */
  readonly repeated?: ReadonlyArray<string>
  /** What kinds there are; those that are built in where it is left out. */
  readonly kinds?: Pick<KindRegistry, "ofServed">
  /** An object of the kind that has been decoded: what the document shares with it is not read again. */
  readonly before?: object | undefined
}

export type Decoded = DecodedObject | DecodeFailure

interface DecodedObject {
  readonly ok: true
  readonly kind: Kind
  readonly object: Draft
  readonly warnings: Array<string>
}

interface DecodeFailure {
  readonly ok: false
  readonly reason: "BadRequest"
  readonly message: string
  /** Where the first error is, so that a reader of the text can be shown the line. */
  readonly path?: FieldPath | undefined
}

/**
 * Decodes a document. Nothing is copied that need not change, nothing is filled in, and nulls are left out.
 */
export const decodeObject = (value: unknown, options: DecodeOptions): Decoded => {
  const typed = readType(value, options.kinds ?? builtInKinds)
  if ("ok" in typed) return typed
  const { kind, fields } = typed
  const decoding = startDecoding()
  const object =
    kind.custom === undefined
      ? decodeStruct(fields, rootTypeOf(kind), decoding, isFields(options.before) ? options.before : {})
      : decodeCustom(fields, kind.custom, decoding)
  const { problem, unknown } = decoding
  const subject = `${kind.kind} in version ${quoted(kind.version)} cannot be handled as a ${kind.kind}`
  if (problem !== undefined) return failure(`${subject}: ${problem.message}`, problem.path)
  const strays = [
    ...unknown.map((stray) => `unknown field ${quoted(stray.name)}`),
    ...(options.repeated ?? []).map((field) => `duplicate field ${quoted(field)}`)
  ]
  if (options.strict && strays.length > 0) {
    return failure(`${subject}: strict decoding error: ${strays.join(", ")}`, unknown[0]?.path)
  }
  return { ok: true, kind, object: asDraft(object, kind), warnings: strays }
}

/** An object by its schema; the metadata is that of all objects. */
const decodeCustom = (
  fields: TypedDocument["fields"],
  { schema }: CustomVersion,
  decoding: Decoding
): TypedDocument["fields"] => {
  const { metadata } = decodeStruct(
    { metadata: fields["metadata"] ?? {} },
    "CustomResourceDefinition",
    decoding
  )
  return { ...pruned(fields, schema, decoding.unknown), metadata: metadata ?? {} }
}

const failure = (message: string, path?: FieldPath): DecodeFailure => ({
  ok: false,
  reason: "BadRequest",
  message,
  path
})

interface TypedDocument {
  readonly kind: Kind
  readonly fields: Fields
}

/** Go names the anonymous struct it reads kind and version into. */
const typeStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** The fields of a document whose kind and version are texts, where it says any. */
export const readFields = (value: unknown): { readonly fields: Fields } | DecodeFailure => {
  if (!isFields(value)) return failure(unreadable(value, `value of type ${typeStruct}`), [])
  const { apiVersion, kind } = value
  for (const [field, text] of Object.entries({ apiVersion, kind })) {
    if (text === undefined || text === null || typeof text === "string") continue
    return failure(unreadable(text, `struct field .${field} of type string`), [field])
  }
  return { fields: value }
}

const readType = (value: unknown, kinds: Pick<KindRegistry, "ofServed">): TypedDocument | DecodeFailure => {
  if (value === undefined || value === null) return failure("Object 'Kind' is missing in 'null'")
  const read = readFields(value)
  if ("ok" in read) return read
  const { fields } = read
  const { apiVersion, kind } = fields
  if (typeof kind !== "string" || kind === "") {
    return failure(`Object 'Kind' is missing in '${JSON.stringify(value)}'`, [])
  }
  if (typeof apiVersion !== "string" || apiVersion === "") return failure("apiVersion not set", [])
  const found = kinds.ofServed({ apiVersion, kind })
  if (found !== undefined) return { kind: found, fields }
  return failure(`no matches for kind ${quoted(kind)} in version ${quoted(apiVersion)}`, ["kind"])
}

const unreadable = (value: unknown, target: string): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeOf(value)} into Go ${target}`

const jsonTypeOf = (value: unknown): string =>
  Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value

const asDraft = (object: Readonly<Record<string, unknown>>, kind: Kind): Draft => {
  const draft: Partial<Draft> = object
  return hasMetadata(draft)
    ? draft
    : { ...draft, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: {} }
}

/** Kind and version were read before. */
const hasMetadata = (draft: Partial<Draft>): draft is Draft => draft.metadata !== undefined
