import { formatFieldPath, type DocumentPath } from "../../meta/text/fieldPath.ts"
import { isFields, type Fields } from "../../meta/fields.ts"
import { formatQuantity, parseQuantity, quantityProblem } from "../../meta/amounts/quantity.ts"
import { base64ErrorOffset, withoutLineBreaks } from "./base64.ts"
import { parseMicroTime, parseTime, type ParsedTime } from "./parseTime.ts"
import { isOmittedValue } from "./omittedValues.ts"
import { structFieldsOf, goStructOf, goTypeOf, goStringTypeOf, type WireType } from "./wireTypes.ts"

/**
 * Decodes fields by the wire types, with the errors of Go's decoder: the first value of a wrong type, its struct, and
 * its path without list indexes.
 * Source: sigs.k8s.io/json, a fork of Go's encoding/json.
 */

export interface DecodeState {
  problem: { readonly message: string; readonly path: DocumentPath } | undefined
  /** Fields that are not in the wire types, by their paths. */
  readonly unknown: Array<{ readonly name: string; readonly path: DocumentPath }>
  /** `path` holds every key and list index on the way to the current value; `fields` holds struct fields only. */
  readonly path: Array<string | number>
  readonly fields: Array<string>
  /** The wire type of the struct that holds the current value, for messages. */
  struct: string
  readonly keepsEmptyValues: boolean
}

export const newDecodeState = ({ keepsEmptyValues = false } = {}): DecodeState => ({
  keepsEmptyValues,
  problem: undefined,
  unknown: [],
  path: [],
  fields: [],
  struct: ""
})

/**
 * Drops unknown and null fields, and values that Go's JSON omits. Values shared with `before`, an already decoded
 * struct, are reused.
 */
export const decodeStruct = (
  value: Fields,
  type: WireType,
  decoding: DecodeState,
  before: Fields = noFields
): Fields => {
  const types = structFieldsOf(type) ?? {}
  const outerStruct = decoding.struct
  const decoded = changeEntries(value, (field, item) => {
    if (isAlreadyDecoded(item, field, before)) return item
    decoding.path.push(field)
    const fieldType = Object.hasOwn(types, field) ? typeOfField(type, field, item, types[field]) : undefined
    let result: unknown
    if (fieldType === undefined) recordUnknownField(decoding)
    else {
      decoding.struct = type
      decoding.fields.push(field)
      result = item === null ? undefined : decodeValue(item, fieldType, decoding, before[field])
      if (!decoding.keepsEmptyValues && isOmittedValue(result, { struct: type, field, type: fieldType }))
        result = undefined
      decoding.fields.pop()
    }
    decoding.path.pop()
    return result
  })
  decoding.struct = outerStruct
  return decoded
}

const isAlreadyDecoded = (item: unknown, field: string, before: Fields): boolean =>
  item !== null && item === before[field] && Object.hasOwn(before, field)

/** In a CRD schema, `items` is a schema or a list of schemas, and `additionalProperties` is a schema or a boolean. */
const typeOfField = (
  struct: WireType,
  field: string,
  value: unknown,
  type: WireType | undefined
): WireType | undefined => {
  if (struct !== "JSONSchemaProps") return type
  if (field === "additionalProperties") return isFields(value) ? "JSONSchemaProps" : "schemaOrBoolean"
  if (field !== "items") return type
  return Array.isArray(value) ? "list:JSONSchemaProps" : "JSONSchemaProps"
}

const noFields: Fields = {}

const decodeValue = (value: unknown, type: WireType, decoding: DecodeState, before?: unknown): unknown => {
  if (type.startsWith("list:")) return decodeList(value, type, decoding, before)
  if (type.startsWith("map:")) return decodeMap(value, type, decoding, before)
  const decodeLeaf = leafDecoders[type]
  if (decodeLeaf !== undefined) return decodeLeaf(value, decoding)
  if (!isFields(value)) return recordMismatch(value, type, decoding)
  return decodeStruct(value, type, decoding, isFields(before) ? before : noFields)
}

const decodeList = (value: unknown, type: WireType, decoding: DecodeState, before: unknown): unknown => {
  if (!Array.isArray(value)) return recordMismatch(value, type, decoding)
  const items: ReadonlyArray<unknown> = value
  const itemsBefore: ReadonlyArray<unknown> = Array.isArray(before) ? before : []
  const itemType = type.slice("list:".length)
  let changed: Array<unknown> | undefined
  for (const [index, item] of items.entries()) {
    const itemBefore = itemsBefore[index]
    if (item === itemBefore && item !== null) continue
    decoding.path.push(index)
    const decoded = item === null ? zeroValueOf(itemType) : decodeValue(item, itemType, decoding, itemBefore)
    decoding.path.pop()
    if (decoded === item) continue
    changed ??= [...items]
    changed[index] = decoded
  }
  return changed ?? items
}

const decodeMap = (value: unknown, type: WireType, decoding: DecodeState, before: unknown): unknown => {
  if (!isFields(value)) return recordMismatch(value, type, decoding)
  const itemsBefore = isFields(before) ? before : noFields
  const itemType = type.slice("map:".length)
  return changeEntries(value, (key, item) => {
    if (isAlreadyDecoded(item, key, itemsBefore)) return item
    decoding.path.push(key)
    const decoded =
      item === null ? zeroValueOf(itemType) : decodeValue(item, itemType, decoding, itemsBefore[key])
    decoding.path.pop()
    return decoded
  })
}

/** What Go decodes a null in a list or map to. */
const zeroValueOf = (type: WireType): unknown => {
  if (type.startsWith("list:")) return []
  return Object.hasOwn(zeroValues, type) ? zeroValues[type] : {}
}

const zeroValues: Readonly<Record<string, unknown>> = {
  string: "",
  byte: "",
  time: "",
  quantity: "0",
  int32: 0,
  int64: 0,
  any: null
}

type LeafDecoder = (value: unknown, decoding: DecodeState) => unknown

const integerDecoder =
  (type: "int32" | "int64"): LeafDecoder =>
  (value, decoding) => {
    // Only an object that a program gives can hold a bigint: no parser makes one.
    if (typeof value === "bigint") return integerDecoder(type)(Number(value), decoding)
    if (typeof value !== "number") return recordMismatch(value, type, decoding)
    const limit = type === "int32" ? 2 ** 31 : 2 ** 63
    if (Number.isInteger(value) && value >= -limit && value < limit) return value
    return recordProblem(cannotUnmarshal(`number ${goNumberText(value)}`, type, decoding), decoding)
  }

const goNumberText = (value: number): string =>
  Number.isInteger(value) ? BigInt(value).toString() : String(value)

const decodeText: LeafDecoder = (value, decoding) =>
  typeof value === "string" ? value : recordMismatch(value, "string", decoding)

/** Stores times in UTC, cut to seconds or microseconds. The zero time counts as missing. */
const timeDecoder =
  (read: (text: string) => ParsedTime): LeafDecoder =>
  (value, decoding) => {
    if (typeof value !== "string") return decodeText(value, decoding)
    const parsed = read(value)
    return parsed.problem === undefined ? parsed.time : recordProblem(parsed.problem, decoding)
  }

/** Quantities are stored in their canonical form: 0.5 becomes 500m. */
const decodeQuantity: LeafDecoder = (value, decoding) => {
  const parsed = typeof value === "string" || typeof value === "number" ? parseQuantity(value) : undefined
  return parsed === undefined ? recordProblem(quantityProblem, decoding) : formatQuantity(parsed)
}

const decodeBase64: LeafDecoder = (value, decoding) => {
  if (typeof value !== "string") return recordMismatch(value, "byte", decoding)
  const errorOffset = base64ErrorOffset(value)
  return errorOffset === undefined
    ? withoutLineBreaks(value)
    : recordProblem(`illegal base64 data at input byte ${errorOffset}`, decoding)
}

const decodeSchemaOrBoolean: LeafDecoder = (value, decoding) =>
  typeof value === "boolean" ? value : recordProblem("boolean or JSON schema expected", decoding)

const leafDecoders: Readonly<Record<string, LeafDecoder>> = {
  int32: integerDecoder("int32"),
  int64: integerDecoder("int64"),
  double: (value, decoding) =>
    typeof value === "number" ? value : recordMismatch(value, "double", decoding),
  boolean: (value, decoding) =>
    typeof value === "boolean" ? value : recordMismatch(value, "boolean", decoding),
  string: decodeText,
  time: timeDecoder(parseTime),
  microTime: timeDecoder(parseMicroTime),
  quantity: decodeQuantity,
  byte: decodeBase64,
  intOrString: (value, decoding) =>
    typeof value === "string" ? value : integerDecoder("int32")(value, decoding),
  schemaOrBoolean: decodeSchemaOrBoolean,
  any: (value) => value
}

const recordMismatch = (value: unknown, type: WireType, decoding: DecodeState): unknown =>
  recordProblem(cannotUnmarshal(jsonTypeOf(value), type, decoding), decoding)

/** The type of a value as Go's JSON errors name it. */
export const jsonTypeOf = (value: unknown): string => {
  if (Array.isArray(value)) return "array"
  if (typeof value === "boolean") return "bool"
  return typeof value === "bigint" ? "number" : typeof value
}

const cannotUnmarshal = (valueText: string, type: WireType, decoding: DecodeState): string => {
  const struct = goStructOf(decoding.struct)
  const stringType = goStringTypeOf(struct, decoding.fields.at(-1) ?? "")
  const target = `${struct}.${decoding.fields.join(".")} of type ${stringType ?? goTypeOf(type)}`
  return `json: cannot unmarshal ${valueText} into Go struct field ${target}`
}

/** Records the first problem only and returns, because Go's decoder continues after an error. */
const recordProblem = (message: string, decoding: DecodeState): undefined => {
  decoding.problem ??= { message, path: [...decoding.path] }
  return undefined
}

/** Paths of unknown fields contain list indexes, unlike those of wrong types. */
const recordUnknownField = (decoding: DecodeState): void => {
  decoding.unknown.push({ name: formatFieldPath(decoding.path), path: [...decoding.path] })
}

const changeEntries = (value: Fields, change: (key: string, item: unknown) => unknown): Fields => {
  const keys = Object.keys(value)
  const items = keys.map((key) => change(key, value[key]))
  if (keys.every((key, index) => items[index] === value[key])) return value
  const entries = keys.map((key, index): [string, unknown] => [key, items[index]])
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}
