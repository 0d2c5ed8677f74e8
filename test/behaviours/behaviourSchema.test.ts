import { expect, test } from "vitest"
import { behaviourJsonSchema } from "../../src/behaviours/behaviourSchema.ts"
import { decodeBehaviour } from "../../src/behaviours/decodeBehaviour.ts"
import { aDocument, everything } from "./behaviourDocuments.ts"

type Json = Readonly<Record<string, unknown>>

const isMap = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const mapOf = (value: unknown): Json => (isMap(value) ? value : {})
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const typeOf = (value: unknown): string => {
  if (Array.isArray(value)) return "array"
  return typeof value
}

const root = behaviourJsonSchema()

/** What each keyword of the JSON Schema requires of a value; a keyword without a row fails the test. */
const keywords: Readonly<Record<string, (expected: unknown, value: unknown, schema: Json) => boolean>> = {
  $ref: (expected, value) => accepts(mapOf(root["$defs"])[String(expected).replace("#/$defs/", "")], value),
  type: (expected, value) =>
    expected === typeOf(value) || (expected === "integer" && Number.isInteger(value)),
  enum: (expected, value) => listOf(expected).includes(value),
  pattern: (expected, value) => typeof value !== "string" || new RegExp(String(expected), "u").test(value),
  minLength: (expected, value) => typeof value !== "string" || value.length >= Number(expected),
  maxLength: (expected, value) => typeof value !== "string" || value.length <= Number(expected),
  minimum: (expected, value) => typeof value !== "number" || value >= Number(expected),
  maximum: (expected, value) => typeof value !== "number" || value <= Number(expected),
  minItems: (expected, value) => listOf(value).length >= Number(expected),
  maxItems: (expected, value) => listOf(value).length <= Number(expected),
  prefixItems: (expected, value) =>
    listOf(value).every((item, index) => accepts(listOf(expected)[index] ?? {}, item)),
  minProperties: (expected, value) => Object.keys(mapOf(value)).length >= Number(expected),
  maxProperties: (expected, value) => Object.keys(mapOf(value)).length <= Number(expected),
  required: (expected, value) => listOf(expected).every((key) => String(key) in mapOf(value)),
  properties: (expected, value) =>
    Object.entries(mapOf(expected)).every(
      ([key, schema]) => !(key in mapOf(value)) || accepts(schema, mapOf(value)[key])
    ),
  patternProperties: (expected, value) =>
    Object.entries(mapOf(expected)).every(([pattern, schema]) =>
      Object.entries(mapOf(value)).every(
        ([key, part]) => !new RegExp(pattern, "u").test(key) || accepts(schema, part)
      )
    ),
  additionalProperties: (expected, value, schema) =>
    Object.entries(mapOf(value))
      .filter(([key]) => !(key in mapOf(schema["properties"])))
      .filter(([key]) =>
        Object.keys(mapOf(schema["patternProperties"])).every((pattern) => !new RegExp(pattern).test(key))
      )
      .every(([, part]) => accepts(expected, part)),
  anyOf: (expected, value) => listOf(expected).some((schema) => accepts(schema, value)),
  allOf: (expected, value) => listOf(expected).every((schema) => accepts(schema, value)),
  $schema: () => true,
  $defs: () => true,
  title: () => true,
  description: () => true
}

const accepts = (schema: unknown, value: unknown): boolean => {
  if (typeof schema === "boolean") return schema
  return Object.entries(mapOf(schema)).every(([keyword, expected]) => {
    const holds = keywords[keyword]
    if (holds === undefined) throw new Error(`the test does not know the keyword ${keyword}`)
    return holds(expected, value, mapOf(schema))
  })
}

test.each([
  { spec: {}, why: "an empty spec" },
  { spec: everything, why: "every field" },
  { spec: { mover: "you", match: { name: "*" } }, why: "moved by the user" },
  { spec: { schedule: "0", hang: { normal: { mean: "1h1.5s", deviation: "0s" } } }, why: "durations" },
  {
    spec: { pull: { failures: 0 }, exit: { after: "1s", times: "forever", reason: "Completed" } },
    why: "counts"
  }
])("accepts what the decoder accepts: $why", ({ spec }) => {
  expect(decodeBehaviour(aDocument(spec)).ok).toBe(true)
  expect(accepts(root, aDocument(spec))).toBe(true)
})

test.each([
  { schedule: 5 },
  { schedule: "5" },
  { schedule: "-5s" },
  { schedule: {} },
  { schedule: { uniform: ["1s"] } },
  { schedule: { uniform: ["1s", "2s"], exponential: { mean: "1s" } } },
  { pull: { failures: -1 } },
  { pull: { failures: 1.5 } },
  { pull: { failures: "always" } },
  { exit: { code: 1 } },
  { exit: { after: "1s", code: 256 } },
  { exit: { after: "1s", times: 0 } },
  { terminateCode: 256 },
  { terminateCode: "143" },
  { exit: { after: "1s", reason: "Crashed" } },
  { mover: "kubectl" },
  { match: { image: "" } },
  { match: { labels: { tier: 7 } } },
  { containers: { App: {} } },
  { containers: { app: { schedule: "1s" } } },
  { redy: "1s" }
])("rejects with the decoder: %j", (spec) => {
  expect(decodeBehaviour(aDocument(spec)).ok).toBe(false)
  expect(accepts(root, aDocument(spec))).toBe(false)
})

test("defines a delay once and refers to it", () => {
  expect(Object.keys(mapOf(root["$defs"]))).toEqual(
    expect.arrayContaining(["Delay", "Duration", "Exit", "Flap", "Pull"])
  )
})
