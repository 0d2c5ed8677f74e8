import { expect, test } from "vitest"
import { behaviourJsonSchema } from "../../src/behaviours/behaviourSchema.ts"
import { decodeBehaviour } from "../../src/behaviours/decodeBehaviour.ts"
import { aDocument, everything } from "./documents.ts"

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

/**
 * What each keyword of JSON Schema that ours uses asks of a value; a keyword without a row fails the test.
 */
const keywords: Readonly<Record<string, (asked: unknown, value: unknown, schema: Json) => boolean>> = {
  $ref: (asked, value) => accepts(mapOf(root["$defs"])[String(asked).replace("#/$defs/", "")], value),
  type: (asked, value) => asked === typeOf(value) || (asked === "integer" && Number.isInteger(value)),
  enum: (asked, value) => listOf(asked).includes(value),
  pattern: (asked, value) => typeof value !== "string" || new RegExp(String(asked), "u").test(value),
  minLength: (asked, value) => typeof value !== "string" || value.length >= Number(asked),
  maxLength: (asked, value) => typeof value !== "string" || value.length <= Number(asked),
  minimum: (asked, value) => typeof value !== "number" || value >= Number(asked),
  maximum: (asked, value) => typeof value !== "number" || value <= Number(asked),
  minItems: (asked, value) => listOf(value).length >= Number(asked),
  maxItems: (asked, value) => listOf(value).length <= Number(asked),
  prefixItems: (asked, value) =>
    listOf(value).every((item, index) => accepts(listOf(asked)[index] ?? {}, item)),
  minProperties: (asked, value) => Object.keys(mapOf(value)).length >= Number(asked),
  maxProperties: (asked, value) => Object.keys(mapOf(value)).length <= Number(asked),
  required: (asked, value) => listOf(asked).every((key) => String(key) in mapOf(value)),
  properties: (asked, value) =>
    Object.entries(mapOf(asked)).every(
      ([key, schema]) => !(key in mapOf(value)) || accepts(schema, mapOf(value)[key])
    ),
  patternProperties: (asked, value) =>
    Object.entries(mapOf(asked)).every(([pattern, schema]) =>
      Object.entries(mapOf(value)).every(
        ([key, part]) => !new RegExp(pattern, "u").test(key) || accepts(schema, part)
      )
    ),
  additionalProperties: (asked, value, schema) =>
    Object.entries(mapOf(value))
      .filter(([key]) => !(key in mapOf(schema["properties"])))
      .filter(([key]) =>
        Object.keys(mapOf(schema["patternProperties"])).every((pattern) => !new RegExp(pattern).test(key))
      )
      .every(([, part]) => accepts(asked, part)),
  anyOf: (asked, value) => listOf(asked).some((schema) => accepts(schema, value)),
  allOf: (asked, value) => listOf(asked).every((schema) => accepts(schema, value)),
  $schema: () => true,
  $defs: () => true,
  title: () => true,
  description: () => true
}

const accepts = (schema: unknown, value: unknown): boolean => {
  if (typeof schema === "boolean") return schema
  return Object.entries(mapOf(schema)).every(([keyword, asked]) => {
    const holds = keywords[keyword]
    if (holds === undefined) throw new Error(`the test does not know the keyword ${keyword}`)
    return holds(asked, value, mapOf(schema))
  })
}

test.each([
  { spec: {}, why: "nothing" },
  { spec: everything, why: "everything" },
  { spec: { mover: "you", match: { name: "*" } }, why: "moved by you" },
  { spec: { schedule: "0", hang: { normal: { mean: "1h1.5s", deviation: "0s" } } }, why: "durations" },
  {
    spec: { pull: { failures: 0 }, exit: { after: "1s", times: "forever", reason: "Completed" } },
    why: "counts"
  }
])("what the decoder accepts the JSON Schema accepts: $why", ({ spec }) => {
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
  { exit: { after: "1s", reason: "Crashed" } },
  { mover: "kubectl" },
  { match: { image: "" } },
  { match: { labels: { tier: 7 } } },
  { containers: { App: {} } },
  { containers: { app: { schedule: "1s" } } },
  { redy: "1s" }
])("what is malformed neither accepts: %j", (spec) => {
  expect(decodeBehaviour(aDocument(spec)).ok).toBe(false)
  expect(accepts(root, aDocument(spec))).toBe(false)
})

test("a delay is described once and referred to", () => {
  expect(Object.keys(mapOf(root["$defs"]))).toEqual(
    expect.arrayContaining(["Delay", "Duration", "Exit", "Flap", "Pull"])
  )
})
