import protobuf from "protobufjs"
import wireTypes from "../../../src/generated/wireTypes.json" with { type: "json" }
import {
  numberedFieldsOf,
  type NumberedField
} from "../../../src/kubernetes/admission/decoding/fieldNumbers.ts"

type Value = Readonly<Record<string, unknown>>

export const typesOf: Readonly<Record<string, Readonly<Record<string, string>>>> = wireTypes.types
export const rootsOf: Readonly<Record<string, string>> = wireTypes.roots

export const numberedStructs: ReadonlyArray<string> = Object.keys(typesOf).filter(
  (struct) => numberedFieldsOf(struct) !== undefined
)

const numbersOf = (struct: string): ReadonlyArray<readonly [number, NumberedField]> => [
  ...(numberedFieldsOf(struct) ?? [])
]

interface FieldOfStruct {
  readonly name: string
  readonly type: string
  readonly showsZero: boolean
}

/** The fields of a struct in JSON, including those of inlined messages. */
export const fieldsIn = (struct: string, numbers = struct): ReadonlyArray<FieldOfStruct> =>
  numbersOf(numbers).flatMap(([, { name, isInlined, keepsZero: showsZero }]) =>
    isInlined ? fieldsIn(struct, name) : [{ name, type: typesOf[struct]?.[name] ?? "", showsZero }]
  )

const wireNames: Readonly<Record<string, string>> = {
  boolean: "bool",
  byte: "bytes",
  time: "Time",
  microTime: "Time",
  quantity: "Quantity",
  intOrString: "IntOrString",
  any: "Raw",
  "list:string": "Texts"
}
const wireNameOf = (type: string): string => wireNames[type] ?? type

const fieldOf = (type: string, id: number) => {
  if (type.startsWith("list:")) return { rule: "repeated", type: wireNameOf(type.slice(5)), id }
  if (type.startsWith("map:")) return { keyType: "string", type: wireNameOf(type.slice(4)), id }
  return { type: wireNameOf(type), id }
}

const messageOf = (struct: string, numbers: string): protobuf.IType => ({
  fields: Object.fromEntries(
    numbersOf(numbers).map(([id, { name, isInlined }]) =>
      isInlined
        ? [name, { type: partOf(struct, name), id }]
        : [name, fieldOf(typesOf[struct]?.[name] ?? "", id)]
    )
  )
})
const partOf = (struct: string, part: string): string => `${struct}_${part}`

const partsOf = (struct: string): ReadonlyArray<string> =>
  numbersOf(struct).flatMap(([, { name, isInlined }]) => (isInlined ? [name, ...partsOf(name)] : []))

const field = (type: string, id: number): protobuf.IField => ({ type, id })

const messages: Readonly<Record<string, protobuf.IType>> = {
  Time: { fields: { seconds: field("int64", 1), nanos: field("int32", 2) } },
  Quantity: { fields: { text: field("string", 1) } },
  IntOrString: { fields: { type: field("int64", 1), int: field("int32", 2), text: field("string", 3) } },
  Raw: { fields: { raw: field("bytes", 1) } },
  Texts: { fields: { items: { rule: "repeated", ...field("string", 1) } } },
  TypeMeta: { fields: { apiVersion: field("string", 1), kind: field("string", 2) } },
  Unknown: {
    fields: {
      typeMeta: field("TypeMeta", 1),
      raw: field("bytes", 2),
      contentEncoding: field("string", 3),
      contentType: field("string", 4)
    }
  },
  ...Object.fromEntries(
    numberedStructs.flatMap((struct) => [
      [struct, messageOf(struct, struct)],
      ...partsOf(struct).map((part) => [partOf(struct, part), messageOf(struct, part)])
    ])
  )
}

/** In edition 2023 a field that is set is written, even with zero. */
const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(messages).map(([name, message]) => [name, { ...message, edition: "proto2" }])
  )
})

const bytes = (type: string, value: Value): Buffer => {
  const message = root.lookupType(type)
  return Buffer.from(message.encode(message.fromObject(value)).finish())
}

const onWire = (type: string, value: unknown): unknown => {
  if (type.startsWith("list:") && Array.isArray(value)) return value.map((it) => onWire(type.slice(5), it))
  if (type.startsWith("map:")) {
    return Object.fromEntries(
      Object.entries(value as Value).map(([key, it]) => [key, inMap(type.slice(4), it)])
    )
  }
  const text = typeof value === "string" ? value : ""
  switch (type) {
    case "time":
    case "microTime": {
      const [, micros = "0"] = /\.(\d+)Z/.exec(text) ?? []
      return { seconds: Math.floor(Date.parse(text) / 1000), nanos: Number(micros) * 1000 }
    }
    case "quantity":
      return { text }
    case "intOrString":
      return typeof value === "number" ? { type: 0, int: value, text: "" } : { type: 1, int: 0, text }
    case "any":
      return { raw: Buffer.from(JSON.stringify(value)) }
    default:
      return typesOf[type] === undefined ? value : structOnWire(type, type, value as Value)
  }
}
const inMap = (type: string, value: unknown): unknown =>
  type === "list:string" ? { items: value } : onWire(type, value)

/** As Go encodes it: every field that is no pointer is written, with zero by default. */
const structOnWire = (struct: string, numbers: string, value: Value): Value =>
  Object.fromEntries(
    numbersOf(numbers).flatMap(([, { name, isInlined, keepsZero: showsZero }]) => {
      if (isInlined) return [[name, structOnWire(struct, name, value)]]
      const type = typesOf[struct]?.[name] ?? ""
      if (Object.hasOwn(value, name)) return [[name, onWire(type, value[name])]]
      const zero = { string: "", int32: 0, int64: 0, boolean: false }[type]
      return zero === undefined || showsZero ? [] : [[name, zero]]
    })
  )

interface Written {
  readonly apiVersion: string
  readonly kind: string
  /** Default: the struct of the kind. */
  readonly struct?: string
  readonly contentType?: string
  readonly contentEncoding?: string
}

export const protobufOf = (value: Value, { struct, ...type }: Written): Buffer =>
  enveloped(bytes(struct ?? type.kind, structOnWire(struct ?? type.kind, struct ?? type.kind, value)), type)

export const enveloped = (
  raw: Buffer,
  { apiVersion, kind, contentType = "", contentEncoding = "" }: Omit<Written, "struct">
): Buffer => {
  const unknown = bytes("Unknown", { typeMeta: { apiVersion, kind }, raw, contentEncoding, contentType })
  return Buffer.concat([Buffer.from("k8s\0"), unknown])
}
