import { createRequire } from "node:module"
import type * as protobufjs from "protobufjs/minimal.js"

/** One field of a message as it stands on the wire, which tells a number from bytes and nothing more. */
interface WireField {
  readonly number: number
  /** Undefined for what no field of Kubernetes is: a group, or a number of fixed width. */
  readonly value: WireValue | undefined
}

export type WireValue = number | Buffer

/** The fields of a message, in the order they were written in. Throws where the bytes are no message. */
export function* wireFields(message: Buffer): Generator<WireField> {
  const reader = loadReader().create(message)
  while (reader.pos < reader.len) {
    const tag = reader.tag()
    const number = tag >>> 3
    if (number === 0) throw new Error("proto: illegal tag 0")
    switch (tag & 7) {
      case 0:
        yield { number, value: roundedOf(reader.int64()) }
        break
      case 2:
        yield { number, value: nextBytes(reader, message) }
        break
      default:
        // Groups are skipped to a bounded depth.
        reader.skipType(tag & 7, 0, number)
        yield { number, value: undefined }
    }
  }
}

/** As JSON would have it: what is beyond 2^53 is rounded. */
const roundedOf = ({ high, low }: { readonly high: number; readonly low: number }): number =>
  high * 2 ** 32 + (low >>> 0)

/** What a length announces, as a part of the message and no copy. */
const nextBytes = (reader: protobufjs.Reader, message: Buffer): Buffer => {
  const size = reader.size()
  const start = reader.pos
  reader.skip(size)
  return message.subarray(start, start + size)
}

/** The bytes of a field, empty where the message does not have it; the last of several. */
export const bytesAt = (message: Buffer, number: number): Buffer => {
  let found: Buffer = noBytes
  for (const field of wireFields(message)) if (field.number === number) found = bytesOf(field.value)
  return found
}

/** The number in a field, 0 where the message does not have it; the last of several. */
export const numberAt = (message: Buffer, number: number): number => {
  let found = 0
  for (const field of wireFields(message)) if (field.number === number) found = numberOf(field.value)
  return found
}

export const bytesOf = (value: WireValue | undefined): Buffer => {
  if (value instanceof Buffer) return value
  throw new Error("proto: a field of bytes has another wire type")
}

export const numberOf = (value: WireValue | undefined): number => {
  if (typeof value === "number") return value
  throw new Error("proto: a field of a number has another wire type")
}

const noBytes = Buffer.alloc(0)

type Readers = Pick<typeof protobufjs, "Reader">
let readers: Readers | undefined
const loadReader = (): Readers["Reader"] => {
  // Loaded with the first message, as most clients send none. What is required is of the package's own type.
  readers ??= createRequire(import.meta.url)("protobufjs/minimal.js") as Readers
  return readers.Reader
}
