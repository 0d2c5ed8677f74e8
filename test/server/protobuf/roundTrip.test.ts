import * as fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { decodeProtobufObject } from "../../../src/server/protobuf/protobufEnvelope.ts"
import { loadProtobufReader } from "../../../src/server/protobuf/wireFormat.ts"
import { leafDecoders } from "../../../src/server/protobuf/leafDecoders.ts"
import { fieldsIn, numberedStructs, protobufOf, rootsOf, typesOf } from "./protobufWriter.ts"

beforeAll(loadProtobufReader)

const seed = 20_260_711

const isOfDefinitions = (struct: string): boolean =>
  /^(Apiextensions|CustomResource|JSONSchema|Webhook)/.test(struct) ||
  ["ExternalDocumentation", "SelectableField", "ValidationRule"].includes(struct)

/** Alpha fields, which are dropped while their feature gates are off, as they are by default. */
const gatedFields = new Set([
  "CSIDriverSpec.preventPodSchedulingIfMissing",
  "Device.nodeAllocatableResourceMappings",
  "DeviceAttribute.bools",
  "DeviceAttribute.ints",
  "DeviceAttribute.strings",
  "DeviceAttribute.versions"
])
/** The struct of such a field. */
const gatedStructs = ["NodeAllocatableResourceMapping"]

const elementOf = (type: string): string => type.replace(/^(list:|map:)+/, "")
const isStruct = (type: string): boolean => typesOf[type] !== undefined
const saysItsKind = new Set([...Object.values(rootsOf), "DeleteOptions"])

describe("the protobuf field numbers", () => {
  it("are known for all served structs except those of CustomResourceDefinitions", () => {
    const without = Object.keys(typesOf).filter((struct) => !numberedStructs.includes(struct))
    expect(without.filter((struct) => !isOfDefinitions(struct))).toEqual(gatedStructs)
    expect(numberedStructs.filter(isOfDefinitions)).toEqual([])
  })

  it("are known for all fields except kind and apiVersion, and are unique in a struct", () => {
    for (const struct of numberedStructs) {
      const fields = Object.keys(typesOf[struct] ?? {}).filter(
        (field) =>
          !(saysItsKind.has(struct) && ["apiVersion", "kind"].includes(field)) &&
          !gatedFields.has(`${struct}.${field}`)
      )
      expect([
        struct,
        fieldsIn(struct)
          .map(({ name }) => name)
          .toSorted()
      ]).toEqual([struct, fields.toSorted()])
    }
  })

  it("belong to fields of decodable types", () => {
    const types = numberedStructs.flatMap((struct) => fieldsIn(struct).map(({ type }) => type))
    const unread = types
      .map((type) => type.replace(/^(list|map):/, ""))
      .filter((type) => !leafDecoders.has(type) && !numberedStructs.includes(type))
    expect(unread).toEqual([])
  })

  it("form no cycle of structs, so that the depth of messages is bounded", () => {
    const depths = new Map<string, number>()
    const depthOf = (struct: string, above: ReadonlyArray<string>): number => {
      expect(above).not.toContain(struct)
      const inner = fieldsIn(struct).map(({ type }) => elementOf(type))
      const depth =
        depths.get(struct) ??
        1 + Math.max(0, ...inner.filter(isStruct).map((it) => depthOf(it, [...above, struct])))
      depths.set(struct, depth)
      return depth
    }
    expect(Math.max(...numberedStructs.map((struct) => depthOf(struct, [])))).toBeLessThan(16)
  })
})

const second = fc
  .integer({ min: Date.parse("0001-01-01T00:00:01Z") / 1000, max: Date.parse("9999-12-31T23:59:59Z") / 1000 })
  .map((seconds) => new Date(seconds * 1000).toISOString().slice(0, 19))
const micros = fc
  .tuple(second, fc.nat(999_999))
  .map(([text, part]) => `${text}.${String(part).padStart(6, "0")}Z`)
const int32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
const text = fc.string({ unit: "grapheme" })
const key = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString"))

const leafValues: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  int32,
  int64: fc.maxSafeInteger(),
  boolean: fc.boolean(),
  string: text,
  byte: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")),
  time: second.map((it) => `${it}Z`),
  microTime: micros,
  quantity: fc.stringMatching(/^[1-9][0-9]{0,3}(m|Ki|Gi)?$/),
  intOrString: fc.oneof(int32, text),
  any: fc.dictionary(key, fc.oneof(int32, text), { noNullPrototype: true })
}

const isZero = (value: unknown): boolean => value === "" || value === 0 || value === false

/** Values of a type that JSON shows: no empty lists or maps, and no structs below a depth. */
const valuesOf = (type: string, depth: number): fc.Arbitrary<unknown> => {
  if (type.startsWith("list:"))
    return fc.array(valuesOf(type.slice(5), depth), { minLength: 1, maxLength: 2 })
  if (type.startsWith("map:")) {
    return fc.dictionary(key, valuesOf(type.slice(4), depth), {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true
    })
  }
  return leafValues[type] ?? structsOf(type, depth + 1)
}

const structsOf = (struct: string, depth = 0): fc.Arbitrary<Readonly<Record<string, unknown>>> => {
  const shown = fieldsIn(struct).filter(({ type }) => depth < 3 || !isStruct(elementOf(type)))
  const fields = shown.map(({ name, type, showsZero }) => {
    const values = valuesOf(type, depth)
    return [name, showsZero ? values : values.filter((value) => !isZero(value))] as const
  })
  return fc.record(Object.fromEntries(fields), { requiredKeys: [], noNullPrototype: true })
}

describe("a random object", () => {
  const kinds = Object.entries(rootsOf).filter(([, struct]) => numberedStructs.includes(struct))
  it.each(kinds)("of %s is the same after encoding and decoding", (path, struct) => {
    const [group = "", version = "", kind = ""] = path.split("/")
    const type = { apiVersion: group === "" ? version : `${group}/${version}`, kind }
    const comesBack = fc.property(structsOf(struct), (object) => {
      expect(decodeProtobufObject(protobufOf(object, { ...type, struct }))).toEqual({ ...type, ...object })
    })
    fc.assert(comesBack, { seed, numRuns: 8 })
  })
})
