import { describe, expect, it } from "vitest"
import { errorBody } from "../../../src/kubernetes/validation/fieldErrors.ts"
import { duplicateItemErrors, schemaErrors } from "../../../src/kubernetes/customResources/validateValue.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

interface Row {
  readonly why: string
  readonly schema: OpenApiSchema
  readonly fine: ReadonlyArray<unknown>
  /** Values, and what is said of each. */
  readonly wrong: ReadonlyArray<readonly [value: unknown, ...says: ReadonlyArray<string>]>
}

const said = (value: unknown, schema: OpenApiSchema): ReadonlyArray<string> =>
  schemaErrors(value, schema, "f").map((error) => `${error.field}: ${errorBody(error)}`)

const type = (wanted: string, found: string): string =>
  `f: Invalid value: "${found}": f in body must be of type ${wanted}: "${found}"`

const rule = (value: unknown, rest: string): string =>
  `f: Invalid value: ${JSON.stringify(value)}: f in body should ${rest}`

const rows: ReadonlyArray<Row> = [
  { why: "a schema that says nothing", schema: {}, fine: [null, undefined, 1, "a", [], {}], wrong: [] },
  { why: "an empty type", schema: { type: "" }, fine: [null, 7, "a"], wrong: [] },
  {
    why: "a type",
    schema: { type: "string" },
    fine: ["", "null"],
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
  { why: "null where it may be", schema: { type: "string", nullable: true }, fine: [null, "a"], wrong: [] },
  {
    why: "whole numbers are numbers, and not the other way round",
    schema: { type: "number" },
    fine: [3, 1.5, -7],
    wrong: [["3", type("number", "string")]]
  },
  {
    why: "whole numbers alone",
    schema: { type: "integer" },
    fine: [3, 0, -1, 2.0],
    wrong: [[1.5, type("integer", "number")]]
  },
  {
    why: "a number or a text",
    schema: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
    fine: [3, "25%"],
    wrong: [
      [null, type("integer,string", "null")],
      [true, type("integer,string", "boolean")]
    ]
  },
  {
    why: "characters are counted as Go counts them",
    schema: { minLength: 2, maxLength: 3 },
    fine: ["ab", "abc", "🚢🚢🚢", 7],
    wrong: [
      ["a", rule("a", "be at least 2 chars long")],
      ["🚢", rule("🚢", "be at least 2 chars long")],
      ["abcd", "f: Too long: may not be more than 3 bytes"]
    ]
  },
  {
    why: "a pattern that is found anywhere",
    schema: { pattern: "b+" },
    fine: ["abc", 7],
    wrong: [["ac", rule("ac", "match 'b+'")]]
  },
  { why: "no pattern, or none that can be read", schema: { pattern: "" }, fine: ["", "a"], wrong: [] },
  { why: "a pattern that cannot be read", schema: { pattern: "(" }, fine: ["", "a"], wrong: [] },
  {
    why: "a format",
    schema: { format: "ipv4" },
    fine: ["10.0.0.1", 7],
    wrong: [["x", `f: Invalid value: "x": f in body must be of type ipv4: "x"`]]
  },
  {
    why: "bounds that are within",
    schema: { minimum: 3, maximum: 7 },
    fine: [3, 7, "9"],
    wrong: [
      [2, rule(2, "be greater than or equal to 3")],
      [8, rule(8, "be less than or equal to 7")]
    ]
  },
  {
    why: "bounds that are without",
    schema: { minimum: 3, maximum: 7, exclusiveMinimum: true, exclusiveMaximum: true },
    fine: [3.5, 6],
    wrong: [
      [3, rule(3, "be greater than 3")],
      [7, rule(7, "be less than 7")]
    ]
  },
  {
    why: "a share of one, although a third of a tenth has no end",
    schema: { multipleOf: 0.1 },
    fine: [0, 0.3, 0.7, 1.1, -0.3, 5],
    wrong: [[0.25, rule(0.25, "be a multiple of 0.1")]]
  },
  {
    why: "a step",
    schema: { multipleOf: 3 },
    fine: [0, 9, -3, "7"],
    wrong: [
      [1, rule(1, "be a multiple of 3")],
      [10, rule(10, "be a multiple of 3")],
      [-4, rule(-4, "be a multiple of 3")]
    ]
  },
  {
    why: "steps of one",
    schema: { multipleOf: 1 },
    fine: [4],
    wrong: [
      [0.5, rule(0.5, "be a multiple of 1")],
      [0.00001, rule(0.00001, "be a multiple of 1")]
    ]
  },
  { why: "a hair too much is as good as none", schema: { multipleOf: 0.7 }, fine: [4.9, -4.9], wrong: [] },
  { why: "small steps are not divided by", schema: { multipleOf: 1.3 }, fine: [3.9], wrong: [] },
  { why: "nor large ones", schema: { multipleOf: 49 }, fine: [49], wrong: [] },
  {
    why: "and a hair too little is not",
    schema: { multipleOf: 1.1 },
    fine: [1.1],
    wrong: [[3.3, rule(3.3, "be a multiple of 1.1")]]
  },
  { why: "no step at all", schema: { multipleOf: 0 }, fine: [0, 7], wrong: [] },
  { why: "a step backwards", schema: { multipleOf: -2 }, fine: [3], wrong: [] },
  {
    why: "one of some values, whatever they are",
    schema: { enum: ["a", 3, { b: [1] }] },
    fine: ["a", 3, { b: [1] }],
    wrong: [["3", 'f: Unsupported value: "3": supported values: "a", "3", "{\\"b\\":[1]}"']]
  },
  {
    why: "lengths of lists",
    schema: { minItems: 2, maxItems: 3 },
    fine: [[1, 2], [1, 2, 3], "a"],
    wrong: [
      [[1], "f: Invalid value: 1: f in body should have at least 2 items"],
      [[1, 2, 3, 4], "f: Too many: 4: must have at most 3 items"]
    ]
  },
  {
    why: "elements of lists",
    schema: { items: { type: "integer" } },
    fine: [[], [1, 2]],
    wrong: [
      [[1, "a"], 'f[1]: Invalid value: "string": f[1] in body must be of type integer: "string"'],
      [[null], 'f[0]: Invalid value: "null": f[0] in body must be of type integer: "null"']
    ]
  },
  {
    why: "how many fields there are",
    schema: { minProperties: 1, maxProperties: 2 },
    fine: [{ a: 1 }, { a: 1, b: 2 }, "a"],
    wrong: [
      [{}, "f: Invalid value: 0: f in body should have at least 1 properties"],
      [{ a: 1, b: 2, c: 3 }, "f: Too many: 3: must have at most 2 items"]
    ]
  },
  {
    why: "fields that are needed, of its own",
    schema: { required: ["a", "toString"] },
    fine: [{ a: null, toString: 1 }],
    wrong: [[{ a: 1 }, "f.toString: Required value"]]
  },
  {
    why: "fields, and the values of what else there is",
    schema: { properties: { a: { type: "integer" } }, additionalProperties: { type: "string" } },
    fine: [{ a: 1, b: "b" }],
    wrong: [
      [{ a: "1" }, 'f.a: Invalid value: "string": f.a in body must be of type integer: "string"'],
      [{ b: 1 }, 'f.b: Invalid value: "integer": f.b in body must be of type string: "integer"']
    ]
  },
  {
    why: "values of which nothing is said",
    schema: { properties: { a: {} }, additionalProperties: true },
    fine: [{ a: 1, b: 2 }],
    wrong: []
  }
]

const any = (rest: string): string => `<nil>: Invalid value: "": "f" must ${rest}`

const junctors: ReadonlyArray<Row> = [
  {
    why: "any of two: it is told what is wrong with the closest",
    schema: { anyOf: [{ type: "string", enum: ["x"] }, { minimum: 3 }] },
    fine: ["x", 3, "a"],
    wrong: [[1, any("validate at least one schema (anyOf)"), rule(1, "be greater than or equal to 3")]]
  },
  {
    why: "of two that are as close the first is told",
    schema: { anyOf: [{ minimum: 3 }, { multipleOf: 7 }] },
    fine: [7, 3],
    wrong: [[1, any("validate at least one schema (anyOf)"), rule(1, "be greater than or equal to 3")]]
  },
  {
    why: "one of two and no more",
    schema: { oneOf: [{ minimum: 3 }, { multipleOf: 2 }] },
    fine: [2, 5],
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
    why: "any of one",
    schema: { anyOf: [{ minimum: 3 }] },
    fine: [3],
    wrong: [[1, any("validate at least one schema (anyOf)"), rule(1, "be greater than or equal to 3")]]
  },
  {
    why: "one of one",
    schema: { oneOf: [{ minimum: 3 }] },
    fine: [3],
    wrong: [
      [
        1,
        any("validate one and only one schema (oneOf). Found none valid"),
        rule(1, "be greater than or equal to 3")
      ]
    ]
  },
  {
    why: "all of two",
    schema: { allOf: [{ minimum: 3 }, { multipleOf: 2 }] },
    fine: [4],
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
    why: "not that",
    schema: { not: { minimum: 3 } },
    fine: [2],
    wrong: [[3, any("not validate the schema (not)")]]
  },
  {
    why: "a number or a text has told its junction by its type, and no other",
    schema: { "x-kubernetes-int-or-string": true, anyOf: [{ minimum: 9 }], allOf: [{ maximum: 5 }] },
    fine: [3],
    wrong: [[7, any("validate all the schemas (allOf)"), rule(7, "be less than or equal to 5")]]
  },
  { why: "none of none", schema: { anyOf: [], oneOf: [], allOf: [] }, fine: [1], wrong: [] }
]

describe("a value", () => {
  it.each([...rows, ...junctors])("is measured: $why", ({ schema, fine, wrong }) => {
    expect(fine.filter((value) => said(value, schema).length > 0)).toEqual([])
    for (const [value, ...says] of wrong) expect(said(value, schema)).toEqual(says)
  })

  it("that is all of an object is called by the names of its fields alone", () => {
    const schema: OpenApiSchema = { required: ["b"], properties: { a: { type: "integer" } } }
    expect(schemaErrors({ a: "1" }, schema).map(({ field }) => field)).toEqual(["b", "a"])
  })
})

describe("an element that is there twice", () => {
  const set: OpenApiSchema = { "x-kubernetes-list-type": "set" }
  const map: OpenApiSchema = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"] }
  it.each<{ why: string; schema: OpenApiSchema; value: unknown; says: ReadonlyArray<string> }>([
    { why: "in any other list is fine", schema: {}, value: [1, 1], says: [] },
    { why: "in an atomic one too", schema: { "x-kubernetes-list-type": "atomic" }, value: [1, 1], says: [] },
    { why: "by its value in a set", schema: set, value: [1, "1", 1, 1], says: ["[2] 1", "[3] 1"] },
    {
      why: "by its keys in a map, one that lacks a key among them",
      schema: map,
      value: [{ k: 1, x: 1 }, { k: 1, l: 2 }, { k: 1, x: 3 }, { k: 2 }, 7, 8, null],
      says: ['[2] {"k":1}', "[5] {}", "[6] {}"]
    },
    {
      why: "under a field and under a map of lists",
      schema: {
        properties: { a: { properties: { b: set } } },
        additionalProperties: { additionalProperties: set }
      },
      value: { a: { b: [1, 1], c: [1, 1] }, m: { n: [2, 2] } },
      says: ["a.b[1] 1", "m.n[1] 2"]
    },
    { why: "in a list in a list", schema: { items: set }, value: [[1], [3, 3]], says: ["[1][1] 3"] },
    { why: "in a text", schema: set, value: "aa", says: [] },
    { why: "in nothing", schema: { properties: { a: map } }, value: { a: null }, says: [] }
  ])("is told of: $why", ({ schema, value, says }) => {
    expect(duplicateItemErrors(value, schema).map((it) => `${it.field} ${JSON.stringify(it.value)}`)).toEqual(
      says
    )
  })
})
