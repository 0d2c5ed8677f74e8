import { isFields, type Fields } from "../fields.ts"
import { formatQuantity, parseQuantity, quantityProblem } from "../quantity.ts"
import { base64Flaw, withoutLineEnds } from "./base64.ts"
import { readMicroTime, readTime, type TimeRead } from "./times.ts"
import { fieldsOf, goStructOf, goTypeOf, namedTextOf, type WireType } from "./wireTypes.ts"

/**
 * Field by field against the wire types, with the errors of Go's decoder: the first one of a wrong type
 * counts, named by the struct it is in and the path from the root, in which positions of lists do not
 * appear.
 *
 * Source: sigs.k8s.io/json, a fork of Go's encoding/json.
 */
export type FieldPath = ReadonlyArray<string | number>

export interface Decoding {
  problem: { readonly message: string; readonly path: FieldPath } | undefined
  readonly unknown: Array<{ readonly name: string; readonly path: FieldPath }>
  /** Where the decoder is: every key and position, and the fields of structs alone. */
  readonly path: Array<string | number>
  readonly fields: Array<string>
  struct: string
}

export const startDecoding = (): Decoding => ({
  problem: undefined,
  unknown: [],
  path: [],
  fields: [],
  struct: ""
})

/**
 * A struct with each field decoded, without the fields that are unknown or null. What is still as it was in `before`,
 * which has been decoded, is taken as it is.
 */
export const decodeStruct = (
  value: Fields,
  type: WireType,
  decoding: Decoding,
  before: Fields = nothing
): Fields => {
  const types = fieldsOf(type) ?? {}
  const outer = decoding.struct
  const decoded = changeEntries(value, (field, item) => {
    if (isTaken(item, field, before)) return item
    decoding.path.push(field)
    const fieldType = Object.hasOwn(types, field) ? typeOfField(type, field, item, types[field]) : undefined
    let result: unknown
    if (fieldType === undefined) reportUnknown(decoding)
    else {
      decoding.struct = type
      decoding.fields.push(field)
      result = item === null ? undefined : decodeValue(item, fieldType, decoding, before[field])
      decoding.fields.pop()
    }
    decoding.path.pop()
    return result
  })
  decoding.struct = outer
  return decoded
}

/** Whether it is the very field of what was decoded before: no null, and nothing that all objects inherit. */
const isTaken = (item: unknown, field: string, before: Fields): boolean =>
  item !== null && item === before[field] && Object.hasOwn(before, field)

/** In a schema, what the items of a list are is a schema as well, or a list of them; of values it may be a boolean. */
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

const nothing: Fields = {}

const decodeValue = (value: unknown, type: WireType, decoding: Decoding, before?: unknown): unknown => {
  if (type.startsWith("list:")) return decodeList(value, type, decoding, before)
  if (type.startsWith("map:")) return decodeMap(value, type, decoding, before)
  const decodeLeaf = leafDecoders[type]
  if (decodeLeaf !== undefined) return decodeLeaf(value, decoding)
  if (!isFields(value)) return mismatch(value, type, decoding)
  return decodeStruct(value, type, decoding, isFields(before) ? before : nothing)
}

const decodeList = (value: unknown, type: WireType, decoding: Decoding, before: unknown): unknown => {
  if (!Array.isArray(value)) return mismatch(value, type, decoding)
  const items: ReadonlyArray<unknown> = value
  const itemsBefore: ReadonlyArray<unknown> = Array.isArray(before) ? before : []
  const itemType = type.slice("list:".length)
  let changed: Array<unknown> | undefined
  for (const [index, item] of items.entries()) {
    const present = itemsBefore[index]
    if (item === present && item !== null) continue
    decoding.path.push(index)
    const decoded = item === null ? zeroOf(itemType) : decodeValue(item, itemType, decoding, present)
    decoding.path.pop()
    if (decoded === item) continue
    changed ??= [...items]
    changed[index] = decoded
  }
  return changed ?? items
}

const decodeMap = (value: unknown, type: WireType, decoding: Decoding, before: unknown): unknown => {
  if (!isFields(value)) return mismatch(value, type, decoding)
  const itemsBefore = isFields(before) ? before : nothing
  const itemType = type.slice("map:".length)
  return changeEntries(value, (key, item) => {
    if (isTaken(item, key, itemsBefore)) return item
    decoding.path.push(key)
    const decoded = item === null ? zeroOf(itemType) : decodeValue(item, itemType, decoding, itemsBefore[key])
    decoding.path.pop()
    return decoded
  })
}

/** What Go makes of a null in a list or a map, where nothing can be absent. */
const zeroOf = (type: WireType): unknown => {
  if (type.startsWith("list:")) return []
  return Object.hasOwn(zeros, type) ? zeros[type] : {}
}

/** Other leaves are in no list and no map. */
const zeros: Readonly<Record<string, unknown>> = {
  string: "",
  byte: "",
  time: "",
  quantity: "0",
  int32: 0,
  int64: 0,
  any: null
}

type LeafDecoder = (value: unknown, decoding: Decoding) => unknown

const integer =
  (type: "int32" | "int64"): LeafDecoder =>
  (value, decoding) => {
    if (typeof value === "bigint") return integer(type)(Number(value), decoding)
    if (typeof value !== "number") return mismatch(value, type, decoding)
    const limit = type === "int32" ? 2 ** 31 : 2 ** 63
    if (Number.isInteger(value) && value >= -limit && value < limit) return value
    return report(cannotUnmarshal(`number ${numberText(value)}`, type, decoding), decoding)
  }

/** Integers are printed in full, as they stood in the text. */
const numberText = (value: number): string =>
  Number.isInteger(value) ? BigInt(value).toString() : String(value)

const text: LeafDecoder = (value, decoding) =>
  typeof value === "string" ? value : mismatch(value, "string", decoding)

/** Stored as it will be read: in UTC, cut to whole seconds or to microseconds. A zero time is none. */
const time =
  (read: (text: string) => TimeRead): LeafDecoder =>
  (value, decoding) => {
    if (typeof value !== "string") return text(value, decoding)
    const { time: stored, problem } = read(value)
    return problem === undefined ? stored : report(problem, decoding)
  }

/** A quantity is kept in its canonical form, as `kubectl get` shows it: 0.5 is 500m. */
const quantity: LeafDecoder = (value, decoding) => {
  const parsed = typeof value === "string" || typeof value === "number" ? parseQuantity(value) : undefined
  return parsed === undefined ? report(quantityProblem, decoding) : formatQuantity(parsed)
}

const byte: LeafDecoder = (value, decoding) => {
  if (typeof value !== "string") return mismatch(value, "byte", decoding)
  const flaw = base64Flaw(value)
  return flaw === undefined
    ? withoutLineEnds(value)
    : report(`illegal base64 data at input byte ${flaw}`, decoding)
}

const schemaOrBoolean: LeafDecoder = (value, decoding) =>
  typeof value === "boolean" ? value : report("boolean or JSON schema expected", decoding)

const leafDecoders: Readonly<Record<string, LeafDecoder>> = {
  int32: integer("int32"),
  int64: integer("int64"),
  double: (value, decoding) => (typeof value === "number" ? value : mismatch(value, "double", decoding)),
  boolean: (value, decoding) => (typeof value === "boolean" ? value : mismatch(value, "boolean", decoding)),
  string: text,
  time: time(readTime),
  microTime: time(readMicroTime),
  quantity,
  byte,
  intOrString: (value, decoding) => (typeof value === "string" ? value : integer("int32")(value, decoding)),
  schemaOrBoolean,
  any: (value) => value
}

const mismatch = (value: unknown, type: WireType, decoding: Decoding): unknown =>
  report(cannotUnmarshal(jsonTypeOf(value), type, decoding), decoding)

const jsonTypeOf = (value: unknown): string => {
  if (Array.isArray(value)) return "array"
  if (typeof value === "boolean") return "bool"
  return typeof value === "bigint" ? "number" : typeof value
}

const cannotUnmarshal = (what: string, type: WireType, decoding: Decoding): string => {
  const struct = goStructOf(decoding.struct)
  const named = namedTextOf(struct, decoding.fields.at(-1) ?? "")
  const target = `${struct}.${decoding.fields.join(".")} of type ${named ?? goTypeOf(type)}`
  return `json: cannot unmarshal ${what} into Go struct field ${target}`
}

/** Only the first problem is told; decoding goes on past it, as in Go. */
const report = (message: string, decoding: Decoding): undefined => {
  decoding.problem ??= { message, path: [...decoding.path] }
  return undefined
}

/** Unlike wrong types, unknown fields are told with their positions in lists. */
const reportUnknown = (decoding: Decoding): void => {
  const name = decoding.path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join("")
  decoding.unknown.push({ name, path: [...decoding.path] })
}

/**
 * The entries changed one by one, those that become undefined left out; the same object where nothing
 * changes.
 */
const changeEntries = (value: Fields, change: (key: string, item: unknown) => unknown): Fields => {
  const keys = Object.keys(value)
  const items = keys.map((key) => change(key, value[key]))
  if (keys.every((key, index) => items[index] === value[key])) return value
  const entries = keys.map((key, index): [string, unknown] => [key, items[index]])
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}
