import { isFields, type Fields } from "../../meta/fields.ts"
import { pruneUnknownFields } from "../../customResources/pruneUnknownFields.ts"
import { apiVersionOf, builtInKinds, type Kind, type KindRegistry } from "../../meta/kinds.ts"
import type { CustomResourceVersion } from "../../meta/kinds.ts"
import type { Draft } from "../../meta/objects.ts"
import type { DocumentPath } from "../../meta/text/fieldPath.ts"
import { decodeStruct, jsonTypeOf, newDecodeState, type DecodeState } from "./decodeStruct.ts"
import { wireTypeOf } from "./wireTypes.ts"
import { goQuote } from "../../meta/text/goQuote.ts"

/** Source: apimachinery/pkg/runtime. */
interface DecodeOptions {
  /** Makes unknown and duplicate fields errors instead of warnings. */
  readonly strict: boolean
  /** The duplicate fields that the parser has found. */
  readonly duplicates?: ReadonlyArray<string>
  readonly kinds?: Pick<KindRegistry, "findServed">
  /** A decoded object of the same kind; values shared with the document are not decoded again. */
  readonly before?: object | undefined
  /** A server-side apply owns zero and empty values, too. */
  readonly keepsEmptyValues?: boolean
}

export type DecodeResult = DecodedObject | DecodeFailure

interface DecodedObject {
  readonly ok: true
  readonly kind: Kind
  readonly object: Draft
  readonly warnings: Array<string>
}

export interface DecodeFailure {
  readonly ok: false
  readonly reason: "BadRequest"
  readonly message: string
  readonly path?: DocumentPath | undefined
}

/** Values that need no change are not copied, nulls are dropped, defaults are not filled in. */
export const decodeObject = (value: unknown, options: DecodeOptions): DecodeResult => {
  const document = readKindAndFields(value, options.kinds ?? builtInKinds)
  // Only a failure has `ok` here.
  if ("ok" in document) return document
  const { kind, fields } = document
  const decoding = newDecodeState(options)
  const object =
    kind.custom === undefined
      ? decodeStruct(fields, wireTypeOf(kind), decoding, isFields(options.before) ? options.before : {})
      : decodeCustom(fields, kind.custom, decoding)
  const { problem, unknown } = decoding
  const messageStart = `${kind.kind} in version ${goQuote(kind.version)} cannot be handled as a ${kind.kind}`
  if (problem !== undefined) return failure(`${messageStart}: ${problem.message}`, problem.path)
  const strictProblems = [
    ...unknown.map((unknownField) => `unknown field ${goQuote(unknownField.name)}`),
    ...(options.duplicates ?? []).map((field) => `duplicate field ${goQuote(field)}`)
  ]
  if (options.strict && strictProblems.length > 0) {
    return failure(`${messageStart}: strict decoding error: ${strictProblems.join(", ")}`, unknown[0]?.path)
  }
  return { ok: true, kind, object: asDraft(object, kind), warnings: strictProblems }
}

export const withoutOmittedValues = (kind: Kind, object: Fields, before: object | undefined): Fields =>
  kind.custom === undefined
    ? decodeStruct(object, wireTypeOf(kind), newDecodeState(), isFields(before) ? before : {})
    : object

const decodeCustom = (
  fields: TypedDocument["fields"],
  { schema }: CustomResourceVersion,
  decoding: DecodeState
): TypedDocument["fields"] => {
  // The type does not matter: only `metadata` is decoded, the same in all types.
  const { metadata } = decodeStruct(
    { metadata: fields["metadata"] ?? {} },
    "CustomResourceDefinition",
    decoding
  )
  return { ...pruneUnknownFields(fields, schema, decoding.unknown), metadata: metadata ?? {} }
}

const failure = (message: string, path?: DocumentPath): DecodeFailure => ({
  ok: false,
  reason: "BadRequest",
  message,
  path
})

interface TypedDocument {
  readonly kind: Kind
  readonly fields: Fields
}

/** Go prints the anonymous struct that it decodes kind and version into. */
const typeStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

/** A failure if the document is no object, or its apiVersion or kind is no string. */
export const readDocumentFields = (value: unknown): { readonly fields: Fields } | DecodeFailure => {
  if (!isFields(value)) return failure(unreadable(value, `value of type ${typeStruct}`), [])
  const { apiVersion, kind } = value
  for (const [field, text] of Object.entries({ apiVersion, kind })) {
    if (text === undefined || text === null || typeof text === "string") continue
    return failure(unreadable(text, `struct field .${field} of type string`), [field])
  }
  return { fields: value }
}

const readKindAndFields = (
  value: unknown,
  kinds: Pick<KindRegistry, "findServed">
): TypedDocument | DecodeFailure => {
  if (value === undefined || value === null) return failure("Object 'Kind' is missing in 'null'")
  const read = readDocumentFields(value)
  if ("ok" in read) return read
  const { fields } = read
  const { apiVersion, kind } = fields
  if (typeof kind !== "string" || kind === "") {
    return failure(`Object 'Kind' is missing in '${JSON.stringify(value)}'`, [])
  }
  if (typeof apiVersion !== "string" || apiVersion === "") return failure("apiVersion not set", [])
  const found = kinds.findServed({ apiVersion, kind })
  if (found !== undefined) return { kind: found, fields }
  return failure(`no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`, ["kind"])
}

const unreadable = (value: unknown, target: string): string =>
  `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeOf(value)} into Go ${target}`

const asDraft = (object: Readonly<Record<string, unknown>>, kind: Kind): Draft => {
  const draft: Partial<Draft> = object
  return hasMetadata(draft)
    ? draft
    : { ...draft, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: {} }
}

const hasMetadata = (draft: Partial<Draft>): draft is Draft => draft.metadata !== undefined
