import type * as protobufjs from "protobufjs/minimal.js"

interface WireField {
  readonly number: number
  /** Undefined for a group or a fixed-width number, which Kubernetes does not use. */
  readonly value: WireValue | undefined
}

export type WireValue = number | Buffer

export function* wireFields(message: Buffer): Generator<WireField> {
  const reader = loadedReader().create(message)
  while (reader.pos < reader.len) {
    // The last three bits are the wire type: 0 is an integer, 2 has a length.
    const tag = reader.tag()
    const number = tag >>> 3
    if (number === 0) throw new Error("proto: illegal tag 0")
    switch (tag & 7) {
      case 0:
        yield { number, value: toNumber(reader.int64()) }
        break
      case 2:
        yield { number, value: nextBytes(reader, message) }
        break
      default:
        // Depth 0: the field is in no group.
        reader.skipType(tag & 7, 0, number)
        yield { number, value: undefined }
    }
  }
}

/** Rounded beyond 2^53, as JSON numbers are. */
const toNumber = ({ high, low }: { readonly high: number; readonly low: number }): number =>
  high * 2 ** 32 + (low >>> 0)

const nextBytes = (reader: protobufjs.Reader, message: Buffer): Buffer => {
  const size = reader.size()
  const start = reader.pos
  reader.skip(size)
  return message.subarray(start, start + size)
}

/** The field's last occurrence; empty without one. */
export const bytesOfField = (message: Buffer, number: number): Buffer => {
  let lastValue: Buffer = noBytes
  for (const field of wireFields(message)) if (field.number === number) lastValue = requireBytes(field.value)
  return lastValue
}

/** The field's last occurrence; 0 without one. */
export const numberOfField = (message: Buffer, number: number): number => {
  let lastValue = 0
  for (const field of wireFields(message)) if (field.number === number) lastValue = requireNumber(field.value)
  return lastValue
}

export const requireBytes = (value: WireValue | undefined): Buffer => {
  if (value instanceof Buffer) return value
  throw new Error("proto: a field of bytes has another wire type")
}

export const requireNumber = (value: WireValue | undefined): number => {
  if (typeof value === "number") return value
  throw new Error("proto: a field of a number has another wire type")
}

const noBytes = Buffer.alloc(0)

let reader: typeof protobufjs.Reader | undefined

/** Only Go clients send protobuf: most clusters never need the decoder. */
export const loadProtobufReader = async (): Promise<void> => {
  reader ??= (await import("protobufjs/minimal.js")).default.Reader
}

const loadedReader = (): typeof protobufjs.Reader => {
  if (reader === undefined) throw new Error("protobuf is decoded before loadProtobufReader")
  return reader
}
