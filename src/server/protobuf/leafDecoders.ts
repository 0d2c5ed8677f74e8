import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import {
  bytesOfField,
  requireBytes,
  numberOfField,
  requireNumber,
  wireFields,
  type WireValue
} from "./wireFormat.ts"

/** Returns undefined for null. */
type ReadLeaf = (value: WireValue | undefined) => unknown

/**
 * Times, quantities, int-or-strings, raw values and lists within maps are messages in protobuf.
 *
 * Source: apimachinery/pkg (apis/meta/v1/time_proto.go and micro_time_proto.go,
 * api/resource/quantity_proto.go, util/intstr/intstr.go), generated.proto of the same packages.
 */
export const leafDecoders: ReadonlyMap<string, ReadLeaf> = new Map<string, ReadLeaf>([
  // A negative number is encoded in 64 bits, of which these are the last 32.
  ["int32", (value) => requireNumber(value) | 0],
  ["int64", requireNumber],
  ["boolean", (value) => requireNumber(value) !== 0],
  ["string", (value) => requireBytes(value).toString()],
  ["byte", (value) => requireBytes(value).toString("base64")],
  ["quantity", (value) => bytesOfField(requireBytes(value), 1).toString() || "0"],
  ["time", (value) => timeText(requireBytes(value), "")],
  ["microTime", (value) => timeText(requireBytes(value), microsText(numberOfField(requireBytes(value), 2)))],
  ["intOrString", (value) => intOrString(requireBytes(value))],
  // runtime.RawExtension, FieldsV1 and JSON: a message whose field 1 is JSON text.
  ["any", (value) => parseRawJson(bytesOfField(requireBytes(value), 1).toString())],
  [
    // The value of a map, such as a user's `extra`: a message of repeated strings.
    "list:string",
    (value) => [...wireFields(requireBytes(value))].map((item) => requireBytes(item.value).toString())
  ]
])

/** Field 1 has the seconds. An empty message is the zero time. */
const timeText = (message: Buffer, fraction: string): string | undefined => {
  if (message.length === 0) return undefined
  const seconds = numberOfField(message, 1)
  if (seconds === firstSecond) return undefined
  if (seconds < firstSecond || seconds > lastSecond) throw new Error("a time is not in the years 1 to 9999")
  return timestampOf(seconds * 1000).replace("Z", `${fraction}Z`)
}
// The range that Go can write as RFC 3339.
const firstSecond = Date.parse("0001-01-01T00:00:00Z") / 1000
const lastSecond = Date.parse("9999-12-31T23:59:59Z") / 1000

const microsText = (nanos: number): string => {
  if (nanos < 0 || nanos >= 1e9) throw new Error("a time has more nanoseconds than a second")
  return `.${String(Math.floor(nanos / 1000)).padStart(6, "0")}`
}

const intOrString = (message: Buffer): number | string => {
  const type = numberOfField(message, 1)
  if (type === 0) return numberOfField(message, 2) | 0
  if (type === 1) return bytesOfField(message, 3).toString()
  throw new Error("a value is neither an integer nor a string")
}

const parseRawJson = (text: string): unknown => {
  if (text === "") return undefined
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    throw new Error("a raw value is not JSON")
  }
}
