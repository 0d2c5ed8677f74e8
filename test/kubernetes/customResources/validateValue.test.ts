import { describe, expect, it } from "vitest"
import { errorBody } from "../../../src/kubernetes/validation/fieldErrors.ts"
import { listTypeErrors, schemaErrors } from "../../../src/kubernetes/customResources/validateValue.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

interface Row {
  readonly why: string
  readonly schema: OpenApiSchema
  readonly valid: ReadonlyArray<unknown>
  readonly wrong: ReadonlyArray<readonly [value: unknown, ...problems: ReadonlyArray<string>]>
}

const problemTexts = (value: unknown, schema: OpenApiSchema): ReadonlyArray<string> =>
  schemaErrors(value, schema, { path: "f" }).map((error) => `${error.field}: ${errorBody(error)}`)

const type = (wanted: string, actual: string): string =>
  `f: Invalid value: "${actual}": f in body must be of type ${wanted}: "${actual}"`

const rule = (value: unknown, rest: string): string =>
  `f: Invalid value: ${JSON.stringify(value)}: f in body should ${rest}`

const rows: ReadonlyArray<Row> = [
  { why: "an empty schema", schema: {}, valid: [null, undefined, 1, "a", [], {}], wrong: [] },
  { why: "an empty type", schema: { type: "" }, valid: [null, 7, "a"], wrong: [] },
  {
    why: "a type",
    schema: { type: "string" },
    valid: ["", "null"],
    wrong: [
      [null, type("string", "null")],
      [undefined, type("string", "null")],
      [3, type("string", "integer")],
      [1.5, type("string", "number")],
      [true, type("string", "boolean")],
      [["a"], type("string", "array")],
      [{}, type("string", "object")]
    ]
  },
  { why: "null where it may be", schema: { type: "string", nullable: true }, valid: [null, "a"], wrong: [] },
  {
    why: "a number may be an integer",
    schema: { type: "number" },
    valid: [3, 1.5, -7],
    wrong: [["3", type("number", "string")]]
  },
  {
    why: "integers only",
    schema: { type: "integer" },
    valid: [3, 0, -1, 2.0],
    wrong: [[1.5, type("integer", "number")]]
  },
  {
    why: "an int-or-string",
    schema: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
    valid: [3, "25%"],
    wrong: [
      [null, type("integer,string", "null")],
      [true, type("integer,string", "boolean")]
    ]
  },
  {
    why: "lengths in Go's characters",
    schema: { minLength: 2, maxLength: 3 },
    valid: ["ab", "abc", "🚢🚢🚢", 7],
    wrong: [
      ["a", rule("a", "be at least 2 chars long")],
      ["🚢", rule("🚢", "be at least 2 chars long")],
      ["abcd", "f: Too long: may not be more than 3 bytes"]
    ]
  },
  {
    why: "a pattern matches anywhere",
    schema: { pattern: "b+" },
    valid: ["abc", 7],
    wrong: [["ac", rule("ac", "match 'b+'")]]
  },
  { why: "an empty pattern is ignored", schema: { pattern: "" }, valid: ["", "a"], wrong: [] },
  { why: "an invalid pattern is ignored", schema: { pattern: "(" }, valid: ["", "a"], wrong: [] },
  {
    why: "a format",
    schema: { format: "ipv4" },
    valid: ["10.0.0.1", 7],
    wrong: [["x", `f: Invalid value: "x": f in body must be of type ipv4: "x"`]]
  },
  {
    why: "inclusive bounds",
    schema: { minimum: 3, maximum: 7 },
    valid: [3, 7, "9"],
    wrong: [
      [2, rule(2, "be greater than or equal to 3")],
      [8, rule(8, "be less than or equal to 7")]
    ]
  },
  {
    why: "exclusive bounds",
    schema: { minimum: 3, maximum: 7, exclusiveMinimum: true, exclusiveMaximum: true },
    valid: [3.5, 6],
    wrong: [
      [3, rule(3, "be greater than 3")],
      [7, rule(7, "be less than 7")]
    ]
  },
  {
    why: "a multiple of a fraction",
    schema: { multipleOf: 0.1 },
    valid: [0, 0.3, 0.7, 1.1, -0.3, 5],
    wrong: [[0.25, rule(0.25, "be a multiple of 0.1")]]
  },
  {
    why: "a multiple of an integer",
    schema: { multipleOf: 3 },
    valid: [0, 9, -3, "7"],
    wrong: [
      [1, rule(1, "be a multiple of 3")],
      [10, rule(10, "be a multiple of 3")],
      [-4, rule(-4, "be a multiple of 3")]
    ]
  },
  {
    why: "a multiple of one",
    schema: { multipleOf: 1 },
    valid: [4],
    wrong: [
      [0.5, rule(0.5, "be a multiple of 1")],
      [0.00001, rule(0.00001, "be a multiple of 1")]
    ]
  },
  { why: "a rounding error above is tolerated", schema: { multipleOf: 0.7 }, valid: [4.9, -4.9], wrong: [] },
  {
    why: "a rounding error of a small step is tolerated",
    schema: { multipleOf: 1.3 },
    valid: [3.9],
    wrong: []
  },
  { why: "a large step", schema: { multipleOf: 49 }, valid: [49], wrong: [] },
  {
    why: "a rounding error below is not tolerated",
    schema: { multipleOf: 1.1 },
    valid: [1.1],
    wrong: [[3.3, rule(3.3, "be a multiple of 1.1")]]
  },
  { why: "a multiple of zero is ignored", schema: { multipleOf: 0 }, valid: [0, 7], wrong: [] },
  { why: "a multiple of a negative number is ignored", schema: { multipleOf: -2 }, valid: [3], wrong: [] },
  {
    why: "an enum of any values",
    schema: { enum: ["a", 3, { b: [1] }] },
    valid: ["a", 3, { b: [1] }],
    wrong: [["3", 'f: Unsupported value: "3": supported values: "a", "3", "{\\"b\\":[1]}"']]
  },
  {
    why: "the length of a list",
    schema: { minItems: 2, maxItems: 3 },
    valid: [[1, 2], [1, 2, 3], "a"],
    wrong: [
      [[1], "f: Invalid value: 1: f in body should have at least 2 items"],
      [[1, 2, 3, 4], "f: Too many: 4: must have at most 3 items"]
    ]
  },
  {
    why: "the elements of a list",
    schema: { items: { type: "integer" } },
    valid: [[], [1, 2]],
    wrong: [
      [[1, "a"], 'f[1]: Invalid value: "string": f[1] in body must be of type integer: "string"'],
      [[null], 'f[0]: Invalid value: "null": f[0] in body must be of type integer: "null"']
    ]
  },
  {
    why: "the number of fields",
    schema: { minProperties: 1, maxProperties: 2 },
    valid: [{ a: 1 }, { a: 1, b: 2 }, "a"],
    wrong: [
      [{}, "f: Invalid value: 0: f in body should have at least 1 properties"],
      [{ a: 1, b: 2, c: 3 }, "f: Too many: 3: must have at most 2 items"]
    ]
  },
  {
    why: "required fields, as own properties",
    schema: { required: ["a", "toString"] },
    valid: [{ a: null, toString: 1 }],
    wrong: [[{ a: 1 }, "f.toString: Required value"]]
  },
  {
    why: "the schemas of properties and of additional properties",
    schema: { properties: { a: { type: "integer" } }, additionalProperties: { type: "string" } },
    valid: [{ a: 1, b: "b" }],
    wrong: [
      [{ a: "1" }, 'f.a: Invalid value: "string": f.a in body must be of type integer: "string"'],
      [{ b: 1 }, 'f.b: Invalid value: "integer": f.b in body must be of type string: "integer"']
    ]
  },
  {
    why: "additional properties of any value",
    schema: { properties: { a: {} }, additionalProperties: true },
    valid: [{ a: 1, b: 2 }],
    wrong: []
  }
]

const any = (rest: string): string => `<nil>: Invalid value: "": "f" must ${rest}`

const junctors: ReadonlyArray<Row> = [
  {
    why: "anyOf reports the problems of the closest schema",
    schema: { anyOf: [{ type: "string", enum: ["x"] }, { minimum: 3 }] },
    valid: ["x", 3, "a"],
    wrong: [[1, any("validate at least one schema (anyOf)"), rule(1, "be greater than or equal to 3")]]
  },
  {
    why: "anyOf reports the first of equally close schemas",
    schema: { anyOf: [{ minimum: 3 }, { multipleOf: 7 }] },
    valid: [7, 3],
    wrong: [[1, any("validate at least one schema (anyOf)"), rule(1, "be greater than or equal to 3")]]
  },
  {
    why: "oneOf accepts exactly one",
    schema: { oneOf: [{ minimum: 3 }, { multipleOf: 2 }] },
    valid: [2, 5],
    wrong: [
      [4, any("validate one and only one schema (oneOf). Found 2 valid alternatives")],
      [
        1,
        any("validate one and only one schema (oneOf). Found none valid"),
        rule(1, "be greater than or equal to 3")
      ]
    ]
  },
  {
    why: "anyOf of one schema",
    schema: { anyOf: [{ minimum: 3 }] },
    valid: [3],
    wrong: [[1, any("validate at least one schema (anyOf)"), rule(1, "be greater than or equal to 3")]]
  },
  {
    why: "oneOf of one schema",
    schema: { oneOf: [{ minimum: 3 }] },
    valid: [3],
    wrong: [
      [
        1,
        any("validate one and only one schema (oneOf). Found none valid"),
        rule(1, "be greater than or equal to 3")
      ]
    ]
  },
  {
    why: "allOf of two schemas",
    schema: { allOf: [{ minimum: 3 }, { multipleOf: 2 }] },
    valid: [4],
    wrong: [
      [
        1,
        any("validate all the schemas (allOf)"),
        rule(1, "be greater than or equal to 3"),
        rule(1, "be a multiple of 2")
      ]
    ]
  },
  {
    why: "not",
    schema: { not: { minimum: 3 } },
    valid: [2],
    wrong: [[3, any("not validate the schema (not)")]]
  },
  {
    why: "an int-or-string is checked against allOf only",
    schema: { "x-kubernetes-int-or-string": true, anyOf: [{ minimum: 9 }], allOf: [{ maximum: 5 }] },
    valid: [3],
    wrong: [[7, any("validate all the schemas (allOf)"), rule(7, "be less than or equal to 5")]]
  },
  { why: "empty junctors", schema: { anyOf: [], oneOf: [], allOf: [] }, valid: [1], wrong: [] }
]

describe("validation of a value", () => {
  it.each([...rows, ...junctors])("checks $why", ({ schema, valid, wrong }) => {
    expect(valid.filter((value) => problemTexts(value, schema).length > 0)).toEqual([])
    for (const [value, ...problems] of wrong) expect(problemTexts(value, schema)).toEqual(problems)
  })

  it("names the fields of the root without a prefix", () => {
    const schema: OpenApiSchema = { required: ["b"], properties: { a: { type: "integer" } } }
    expect(schemaErrors({ a: "1" }, schema).map(({ field }) => field)).toEqual(["b", "a"])
  })
})

describe("duplicate elements", () => {
  const set: OpenApiSchema = { "x-kubernetes-list-type": "set" }
  const map: OpenApiSchema = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"] }
  it.each<{ why: string; schema: OpenApiSchema; value: unknown; problems: ReadonlyArray<string> }>([
    { why: "are ignored in other lists", schema: {}, value: [1, 1], problems: [] },
    {
      why: "are ignored in atomic lists",
      schema: { "x-kubernetes-list-type": "atomic" },
      value: [1, 1],
      problems: []
    },
    { why: "are found by value in a set", schema: set, value: [1, "1", 1, 1], problems: ["[2] 1"] },
    {
      why: "are found in a set of objects, in any order of their fields",
      schema: set,
      value: [{ a: 1, b: 2 }, { b: 2 }, { b: 2, a: 1 }],
      problems: ['[2] {"b":2,"a":1}']
    },
    {
      why: "are found by keys in a list map, missing keys included",
      schema: map,
      value: [{ k: 1, x: 1 }, { k: 1, l: 2 }, { k: 1, x: 3 }, { k: 2 }, { x: 1 }, null],
      problems: ['[2] {"k":1}', "[5] {}"]
    },
    {
      why: "are not looked for in a list map with an item that is no object, which is reported",
      schema: map,
      value: [{ k: 1 }, { k: 1 }, 7, 8],
      problems: ["[2] 7"]
    },
    {
      why: "are found below properties and maps",
      schema: {
        properties: { a: { properties: { b: set } } },
        additionalProperties: { additionalProperties: set }
      },
      value: { a: { b: [1, 1], c: [1, 1] }, m: { n: [2, 2] } },
      problems: ["a.b[1] 1", "m.n[1] 2"]
    },
    {
      why: "are found in a list of lists",
      schema: { items: set },
      value: [[1], [3, 3]],
      problems: ["[1][1] 3"]
    },
    { why: "are ignored in a string", schema: set, value: "aa", problems: [] },
    { why: "are ignored in null", schema: { properties: { a: map } }, value: { a: null }, problems: [] }
  ])("are reported: $why", ({ schema, value, problems }) => {
    expect(listTypeErrors(value, schema).map((it) => `${it.field} ${JSON.stringify(it.value)}`)).toEqual(
      problems
    )
  })
})
