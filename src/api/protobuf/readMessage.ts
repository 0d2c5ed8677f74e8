import { fieldsOf, type WireType } from "../../domain/admission/wireTypes.ts"
import { numberedFieldsOf, type NumberedField } from "./fieldNumbers.ts"
import { leaves } from "./leaves.ts"
import { bytesAt, bytesOf, wireFields, type WireValue } from "./wire.ts"

/** Whether messages of a struct can be read. */
export const isReadable = (struct: string): boolean =>
  numberedFieldsOf(struct) !== undefined && fieldsOf(struct) !== undefined

/**
 * Reads a message of a struct into the value that its JSON would be parsed to. Fields it does not know are left out.
 * Throws where the bytes are no such message. No struct in the tables is within itself, which bounds the depth.
 */
export const readMessage = (message: Buffer, struct: string): Readonly<Record<string, unknown>> => {
  const fields: Fields = new Map()
  readFields(message, { struct, numbers: struct, fields })
  return Object.fromEntries(
    [...fields].map(([name, value]) => [name, value instanceof Map ? Object.fromEntries(value) : value])
  )
}

/** Built aside, so that a key such as `__proto__` is one like any other. */
type Fields = Map<string, unknown>

interface Reading {
  /** The struct whose fields are read. */
  readonly struct: string
  /** The struct that has their numbers: another one in a message that JSON does not show. */
  readonly numbers: string
  readonly fields: Fields
}

const readFields = (message: Buffer, reading: Reading): void => {
  const numbered = numberedFieldsOf(reading.numbers)
  for (const { number, value } of wireFields(message)) {
    const field = numbered?.get(number)
    if (field === undefined) continue
    if (field.isInlined) readFields(bytesOf(value), { ...reading, numbers: field.name })
    else readField(field, value, reading)
  }
}

const readField = (
  { name, showsZero }: NumberedField,
  value: WireValue | undefined,
  { struct, fields }: Reading
): void => {
  const type = fieldsOf(struct)?.[name]
  if (type === undefined) return
  const known = fields.get(name)
  if (type.startsWith("list:")) {
    const element = readValue(type.slice("list:".length), value)
    if (Array.isArray(known)) known.push(element)
    else fields.set(name, [element])
  } else if (type.startsWith("map:")) {
    // An entry is a message of a key and a value.
    const entry = bytesOf(value)
    const map: Map<unknown, unknown> = known instanceof Map ? known : new Map()
    map.set(bytesAt(entry, 1).toString(), readValue(type.slice("map:".length), bytesAt(entry, 2)))
    fields.set(name, map)
  } else {
    const read = readValue(type, value)
    if (read === undefined || (isZero(read) && !showsZero)) fields.delete(name)
    else fields.set(name, read)
  }
}

const isZero = (value: unknown): boolean => value === "" || value === 0 || value === false

const readValue = (type: WireType, value: WireValue | undefined): unknown => {
  const readLeaf = leaves.get(type)
  return readLeaf === undefined ? readMessage(bytesOf(value), type) : readLeaf(value)
}
