import { describe, expect, it } from "vitest"
import { structuralSchemaErrors } from "../../../src/kubernetes/customResources/validateSchema.ts"
import { errorTexts } from "../admission/drafts.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

interface Row {
  readonly why: string
  readonly schema: OpenApiSchema
  readonly errors: ReadonlyArray<string>
}

const problemTexts = (schema: OpenApiSchema): ReadonlyArray<string> =>
  errorTexts(structuralSchemaErrors(schema, "s"))

const withA = (a: object, more: OpenApiSchema = {}): OpenApiSchema => ({
  type: "object",
  properties: { a },
  ...more
})

const unknownParts = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]

const unsupported: ReadonlyArray<Row> = [
  {
    why: "unsupported parts of OpenAPI",
    schema: { type: "object", ...Object.fromEntries(unknownParts.map((field) => [field, {}])) },
    errors: unknownParts.map((field) => `s.${field}: Forbidden: ${field} is not supported`)
  },
  {
    why: "the type null",
    schema: withA({ type: "null" }),
    errors: ["s.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative"]
  },
  {
    why: "an unknown type",
    schema: withA({ type: "text" }),
    errors: [
      's.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", ' +
        '"object", "string"'
    ]
  },
  {
    why: "items as a list",
    schema: withA({ type: "array", items: [{ type: "string" }] }),
    errors: [
      "s.properties[a].items: Forbidden: items must be a schema object and not an array",
      "s.properties[a].items.type: Required value: must not be empty for specified array items"
    ]
  },
  {
    why: "uniqueItems",
    schema: withA({ type: "array", items: { type: "string" }, uniqueItems: true }),
    errors: [
      "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity " +
        "becomes quadratic"
    ]
  },
  {
    why: "properties beside additionalProperties",
    schema: withA(withA({ type: "string" }, { additionalProperties: { type: "string" } })),
    errors: [
      "s.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"
    ]
  },
  {
    why: "properties beside additionalProperties: false",
    schema: withA(withA({ type: "string" }, { additionalProperties: false })),
    errors: [
      "s.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"
    ]
  },
  {
    why: "not: properties beside additionalProperties: true",
    schema: withA(withA({ type: "string" }, { additionalProperties: true })),
    errors: []
  },
  {
    why: "not: empty properties beside additionalProperties",
    schema: withA({ type: "object", properties: {}, additionalProperties: { type: "string" } }),
    errors: []
  },
  {
    why: "uniqueItems deep inside the schema",
    schema: withA({
      type: "array",
      items: { type: "object", additionalProperties: { type: "string", uniqueItems: true } },
      allOf: [{}, { uniqueItems: true }],
      not: { uniqueItems: true }
    }),
    errors: [".items.additionalProperties", ".allOf[1]", ".not"].map(
      (where) =>
        `s.properties[a]${where}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime ` +
        "complexity becomes quadratic"
    )
  }
]

const structure: ReadonlyArray<Row> = [
  {
    why: "an array without items",
    schema: withA({ type: "array" }),
    errors: ["s.properties[a].items: Required value: must be specified"]
  },
  {
    why: "a root without a type",
    schema: {},
    errors: ["s.type: Required value: must not be empty at the root"]
  },
  {
    why: "a root that is a list",
    schema: { type: "array", items: { type: "string" } },
    errors: ['s.type: Invalid value: "array": must be object at the root']
  },
  {
    why: "a root that is a map",
    schema: { type: "object", additionalProperties: { type: "string" } },
    errors: ["s.additionalProperties: Forbidden: must not be used at the root"]
  },
  {
    why: "fields, elements and values without a type",
    schema: withA(
      {},
      {
        properties: {
          a: {},
          b: { type: "array", items: {} },
          c: { type: "object", additionalProperties: {} }
        }
      }
    ),
    errors: [
      "s.properties[a].type: Required value: must not be empty for specified object fields",
      "s.properties[b].items.type: Required value: must not be empty for specified array items",
      "s.properties[c].additionalProperties.type: Required value: must not be empty for specified object fields"
    ]
  },
  {
    why: "not: fields of more than one type",
    schema: {
      type: "object",
      properties: {
        a: { "x-kubernetes-int-or-string": true },
        b: { "x-kubernetes-preserve-unknown-fields": true }
      }
    },
    errors: []
  },
  {
    why: "an embedded resource that is no object",
    schema: {
      type: "object",
      properties: {
        a: { "x-kubernetes-embedded-resource": true },
        b: { "x-kubernetes-embedded-resource": true, type: "string" },
        c: { "x-kubernetes-embedded-resource": true, type: "object" }
      }
    },
    errors: [
      "s.properties[a].type: Required value: must be object if x-kubernetes-embedded-resource is true",
      's.properties[b].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'
    ]
  },
  {
    why: "an invalid pattern",
    schema: withA({ type: "string", pattern: "(" }),
    errors: ['s.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t']
  },
  { why: "not: a valid pattern", schema: withA({ type: "string", pattern: "a+" }), errors: [] },
  { why: "not: an empty pattern", schema: withA({ type: "string", pattern: "" }), errors: [] },
  {
    why: "apiVersion, kind and metadata of other types",
    schema: {
      type: "object",
      properties: { apiVersion: { type: "integer" }, kind: {}, metadata: { type: "string" } }
    },
    errors: [
      's.properties[kind].type: Invalid value: "": must be string',
      's.properties[apiVersion].type: Invalid value: "integer": must be string',
      's.properties[metadata].type: Invalid value: "string": must be object',
      "s.properties[kind].type: Required value: must not be empty for specified object fields"
    ]
  },
  {
    why: "metadata without a type",
    schema: { type: "object", properties: { metadata: {} } },
    errors: [
      's.properties[metadata].type: Invalid value: "": must be object',
      "s.properties[metadata].type: Required value: must not be empty for specified object fields"
    ]
  },
  {
    why: "not: apiVersion, kind and metadata of their types",
    schema: {
      type: "object",
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: {
          type: "object",
          description: "as ever",
          properties: { name: { type: "string" }, generateName: { type: "string" } }
        } as OpenApiSchema
      }
    },
    errors: []
  },
  ...[
    { type: "object", properties: { labels: { type: "object" } } },
    { type: "object", required: ["name"] }
  ].map((metadata) => ({
    why: `metadata with more than its name: ${JSON.stringify(metadata)}`,
    schema: { type: "object", properties: { metadata } },
    errors: [
      "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata " +
        "is implicitly specified"
    ]
  })),
  {
    why: "not: a field called metadata below the root",
    schema: withA({ type: "object", properties: { metadata: { type: "string" } } }),
    errors: []
  }
]

const list = (type: string, more: OpenApiSchema = {}): OpenApiSchema =>
  withA({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": type, ...more })

const lists: ReadonlyArray<Row> = [
  { why: "not: a set", schema: list("set"), errors: [] },
  { why: "not: an atomic list", schema: list("atomic"), errors: [] },
  { why: "not: a map", schema: list("map", { "x-kubernetes-list-map-keys": ["k"] }), errors: [] },
  {
    why: "an unknown list type",
    schema: list("heap"),
    errors: [
      's.properties[a].x-kubernetes-list-type: Unsupported value: "heap": supported values: "atomic", "set", "map"'
    ]
  },
  {
    why: "a list type of a string",
    schema: withA({ type: "string", "x-kubernetes-list-type": "set" }),
    errors: [
      's.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'
    ]
  },
  {
    why: "a list type map without keys",
    schema: list("map"),
    errors: [
      "s.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"
    ]
  }
]

describe("validation of a schema (TestValidateCustomResourceDefinitionValidation)", () => {
  it.each(unsupported)("rejects what is not supported: $why", ({ schema, errors }) => {
    expect(problemTexts(schema)).toEqual(errors)
  })
  it.each(structure)("checks the structure: $why", ({ schema, errors }) => {
    expect(problemTexts(schema)).toEqual(errors)
  })
  it.each(lists)("checks the list types: $why", ({ schema, errors }) => {
    expect(problemTexts(schema)).toEqual(errors)
  })
})

describe("a schema in a junctor (allOf, anyOf, oneOf, not)", () => {
  it("may constrain values, but not declare types", () => {
    const whole = {
      type: "object",
      additionalProperties: true,
      default: {},
      title: "t",
      description: "d",
      nullable: true,
      externalDocs: {},
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-int-or-string": true,
      "x-kubernetes-list-map-keys": ["k"],
      "x-kubernetes-list-type": "map"
    } as OpenApiSchema
    const fields = [
      "type: Forbidden: must be empty",
      "additionalProperties: Forbidden: must be undefined",
      "default: Forbidden: must be undefined",
      "title: Forbidden: must be empty",
      "description: Forbidden: must be empty",
      "nullable: Forbidden: must be false",
      "externalDocs: Forbidden: must be undefined",
      "x-kubernetes-preserve-unknown-fields: Forbidden: must be false",
      "x-kubernetes-embedded-resource: Forbidden: must be false",
      "x-kubernetes-int-or-string: Forbidden: must be false",
      "x-kubernetes-list-map-keys: Forbidden: must be empty",
      "x-kubernetes-list-type: Forbidden: must be undefined"
    ]
    expect(problemTexts(withA({ type: "string", anyOf: [{ minLength: 3 }, whole] }))).toEqual(
      fields.map((text) => `s.properties[a].anyOf[1].${text} to be structural`)
    )
  })

  it("may have empty declarations", () => {
    const nothing = {
      type: "",
      title: "",
      nullable: false,
      "x-kubernetes-int-or-string": false
    } as OpenApiSchema
    expect(problemTexts(withA({ type: "string", not: nothing }))).toEqual([])
  })

  it("is validated recursively", () => {
    const inner: OpenApiSchema = { properties: { b: { type: "string", oneOf: [{ nullable: true }] } } }
    expect(problemTexts(withA({ type: "object", allOf: [inner] }))).toEqual([
      "s.properties[a].allOf[0].properties[b].type: Forbidden: must be empty to be structural",
      "s.properties[a].allOf[0].properties[b].oneOf[0].nullable: Forbidden: must be false to be structural"
    ])
  })

  it("may declare the types of an int-or-string", () => {
    const choice: OpenApiSchema = {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }]
    }
    expect(problemTexts(withA(choice))).toEqual([])
    expect(
      problemTexts(withA({ ...choice, type: "string", "x-kubernetes-int-or-string": false }))
    ).toHaveLength(2)
  })
})

describe("validation of a default", () => {
  const at = "s.properties[a].default"
  it.each<Row>([
    {
      why: "rejects another type",
      schema: withA({ type: "integer", default: "big" }),
      errors: [`${at}: Invalid value: "string":  in body must be of type integer: "string"`]
    },
    { why: "not: a valid value", schema: withA({ type: "integer", default: 3 }), errors: [] },
    {
      why: "not: null in a nullable field",
      schema: withA({ type: "integer", nullable: true, default: null }),
      errors: []
    },
    {
      why: "rejects an unknown field",
      schema: withA({ type: "object", default: { b: 1 } }),
      errors: [`${at}: Invalid value: {"b":1}: must not have unknown fields`]
    },
    {
      why: "rejects a wrong value inside an object",
      schema: withA(withA({ type: "string" }, { default: { a: 1 } })),
      errors: [`${at}.a: Invalid value: "integer": a in body must be of type string: "integer"`]
    },
    {
      why: "not: an object completed by the defaults of its fields",
      schema: withA(withA({ type: "string", default: "x" }, { required: ["a"], default: {} })),
      errors: []
    },
    {
      why: "covers elements and map values",
      schema: {
        type: "object",
        properties: {
          a: { type: "array", items: { type: "integer", default: "x" } },
          b: { type: "object", additionalProperties: { type: "integer", default: "y" } }
        }
      },
      errors: ["a].items", "b].additionalProperties"].map(
        (where) =>
          `s.properties[${where}.default: Invalid value: "string":  in body must be of type integer: "string"`
      )
    },
    {
      why: "is skipped when the schema is invalid",
      schema: withA({ type: "integer", default: "big", uniqueItems: true }),
      errors: [
        "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity " +
          "becomes quadratic"
      ]
    }
  ])("$why", ({ schema, errors }) => {
    expect(problemTexts(schema)).toEqual(errors)
  })
})
