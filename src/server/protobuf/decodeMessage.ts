import { structFieldsOf, type WireType } from "../../kubernetes/admission/decoding/wireTypes.ts"
import { numberedFieldsOf, type NumberedField } from "../../kubernetes/admission/decoding/fieldNumbers.ts"
import { leafDecoders } from "./leafDecoders.ts"
import { bytesOfField, requireBytes, wireFields, type WireValue } from "./wireFormat.ts"

export const isKnownStruct = (struct: string): boolean =>
  numberedFieldsOf(struct) !== undefined && structFieldsOf(struct) !== undefined

/**
 * `struct` is a Go struct, such as `PodSpec`. Drops unknown fields; throws for malformed bytes. No known struct
 * contains itself, which bounds the depth.
 */
export const decodeMessage = (message: Buffer, struct: string): Readonly<Record<string, unknown>> => {
  const fields: Fields = new Map()
  readFields(message, { struct, numberedStruct: struct, fields })
  return Object.fromEntries(
    [...fields].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value])
  )
}

/** A Map, so that a field such as `__proto__` is harmless. */
type Fields = Map<string, unknown>

interface ReadState {
  readonly struct: string
  /** The struct whose field numbers apply: within an inlined message, not `struct`. */
  readonly numberedStruct: string
  readonly fields: Fields
}

const readFields = (message: Buffer, state: ReadState): void => {
  const fieldByNumber = numberedFieldsOf(state.numberedStruct)
  for (const { number, value } of wireFields(message)) {
    const field = fieldByNumber?.get(number)
    if (field === undefined) continue
    if (field.isInlined) readFields(requireBytes(value), { ...state, numberedStruct: field.name })
    else readField(field, value, state)
  }
}

const readField = (
  { name, keepsZero }: NumberedField,
  value: WireValue | undefined,
  { struct, fields }: ReadState
): void => {
  // `list:TYPE`, `map:TYPE`, a struct's name, or a leaf such as `string`.
  const type = structFieldsOf(struct)?.[name]
  if (type === undefined) return
  const presentValue = fields.get(name)
  if (type.startsWith("list:")) {
    const element = readValue(type.slice("list:".length), value)
    if (Array.isArray(presentValue)) presentValue.push(element)
    else fields.set(name, [element])
  } else if (type.startsWith("map:")) {
    // A map entry is a message: field 1 is the key, field 2 the value.
    const entry = requireBytes(value)
    const map: Map<unknown, unknown> = presentValue instanceof Map ? presentValue : new Map()
    map.set(bytesOfField(entry, 1).toString(), readValue(type.slice("map:".length), bytesOfField(entry, 2)))
    fields.set(name, map)
  } else {
    const decoded = readValue(type, value)
    // JSON omits a zero value, except for a field that is a pointer in Go or lacks `omitempty`.
    if (decoded === undefined || (isZero(decoded) && !keepsZero)) fields.delete(name)
    else fields.set(name, decoded)
  }
}

const isZero = (value: unknown): boolean => value === "" || value === 0 || value === false

const readValue = (type: WireType, value: WireValue | undefined): unknown => {
  const readLeaf = leafDecoders.get(type)
  return readLeaf === undefined ? decodeMessage(requireBytes(value), type) : readLeaf(value)
}
