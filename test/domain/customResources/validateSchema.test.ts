import { describe, expect, it } from "vitest"
import { structuralSchemaErrors } from "../../../src/kubernetes/customResources/validateSchema.ts"
import { texts } from "../admission/drafts.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

interface Row {
  readonly why: string
  readonly schema: OpenApiSchema
  readonly errors: ReadonlyArray<string>
}

const said = (schema: OpenApiSchema): ReadonlyArray<string> => texts(structuralSchemaErrors(schema, "s"))

/** An object with one field `a` of this schema. */
const withA = (a: object, more: OpenApiSchema = {}): OpenApiSchema => ({
  type: "object",
  properties: { a },
  ...more
})

const unknownParts = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]

const unsupported: ReadonlyArray<Row> = [
  {
    why: "parts of OpenAPI that there are none of here",
    schema: { type: "object", ...Object.fromEntries(unknownParts.map((field) => [field, {}])) },
    errors: unknownParts.map((field) => `s.${field}: Forbidden: ${field} is not supported`)
  },
  {
    why: "a type of nothing",
    schema: withA({ type: "null" }),
    errors: ["s.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative"]
  },
  {
    why: "a type that there is none of",
    schema: withA({ type: "text" }),
    errors: [
      's.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", ' +
        '"object", "string"'
    ]
  },
  {
    why: "elements by their place",
    schema: withA({ type: "array", items: [{ type: "string" }] }),
    errors: [
      "s.properties[a].items: Forbidden: items must be a schema object and not an array",
      "s.properties[a].items.type: Required value: must not be empty for specified array items"
    ]
  },
  {
    why: "elements that each are there once",
    schema: withA({ type: "array", items: { type: "string" }, uniqueItems: true }),
    errors: [
      "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity " +
        "becomes quadratic"
    ]
  },
  {
    why: "fields that are known, in a map",
    schema: withA(withA({ type: "string" }, { additionalProperties: { type: "string" } })),
    errors: [
      "s.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"
    ]
  },
  {
    why: "fields that are known, and no others",
    schema: withA(withA({ type: "string" }, { additionalProperties: false })),
    errors: [
      "s.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"
    ]
  },
  {
    why: "not: fields that are known, and any others",
    schema: withA(withA({ type: "string" }, { additionalProperties: true })),
    errors: []
  },
  {
    why: "not: a map without fields that are known",
    schema: withA({ type: "object", properties: {}, additionalProperties: { type: "string" } }),
    errors: []
  },
  {
    why: "far down, in each place there is",
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
    why: "an array of nobody knows what",
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
    why: "not: fields that may be of more than one type",
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
    why: "a whole object that is none",
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
    why: "a pattern that cannot be read",
    schema: withA({ type: "string", pattern: "(" }),
    errors: ['s.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t']
  },
  { why: "not: one that can", schema: withA({ type: "string", pattern: "a+" }), errors: [] },
  { why: "not: an empty pattern", schema: withA({ type: "string", pattern: "" }), errors: [] },
  {
    why: "type and metadata that are something else",
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
    why: "not: type and metadata as they are",
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
    why: `more of metadata than its name: ${JSON.stringify(metadata)}`,
    schema: { type: "object", properties: { metadata } },
    errors: [
      "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata " +
        "is implicitly specified"
    ]
  })),
  {
    why: "not: metadata of what is not the root",
    schema: withA({ type: "object", properties: { metadata: { type: "string" } } }),
    errors: []
  }
]

const list = (type: string, more: OpenApiSchema = {}): OpenApiSchema =>
  withA({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": type, ...more })

const lists: ReadonlyArray<Row> = [
  { why: "not: a set", schema: list("set"), errors: [] },
  { why: "not: one value", schema: list("atomic"), errors: [] },
  { why: "not: a map", schema: list("map", { "x-kubernetes-list-map-keys": ["k"] }), errors: [] },
  {
    why: "a list of a type that there is none of",
    schema: list("heap"),
    errors: [
      's.properties[a].x-kubernetes-list-type: Unsupported value: "heap": supported values: "atomic", "set", "map"'
    ]
  },
  {
    why: "a list that is none",
    schema: withA({ type: "string", "x-kubernetes-list-type": "set" }),
    errors: [
      's.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'
    ]
  },
  {
    why: "a map without keys",
    schema: list("map"),
    errors: [
      "s.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"
    ]
  }
]

describe("a schema is told what is wrong (TestValidateCustomResourceDefinitionValidation)", () => {
  it.each(unsupported)("with what is not supported: $why", ({ schema, errors }) => {
    expect(said(schema)).toEqual(errors)
  })
  it.each(structure)("with its structure: $why", ({ schema, errors }) => {
    expect(said(schema)).toEqual(errors)
  })
  it.each(lists)("with its lists: $why", ({ schema, errors }) => {
    expect(said(schema)).toEqual(errors)
  })
})

describe("a schema in a junction", () => {
  it("may bound values, and may not say what there is", () => {
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
    expect(said(withA({ type: "string", anyOf: [{ minLength: 3 }, whole] }))).toEqual(
      fields.map((text) => `s.properties[a].anyOf[1].${text} to be structural`)
    )
  })

  it("may say that it says nothing", () => {
    const nothing = {
      type: "",
      title: "",
      nullable: false,
      "x-kubernetes-int-or-string": false
    } as OpenApiSchema
    expect(said(withA({ type: "string", not: nothing }))).toEqual([])
  })

  it("is looked into, with the junctions in it", () => {
    const inner: OpenApiSchema = { properties: { b: { type: "string", oneOf: [{ nullable: true }] } } }
    expect(said(withA({ type: "object", allOf: [inner] }))).toEqual([
      "s.properties[a].allOf[0].properties[b].type: Forbidden: must be empty to be structural",
      "s.properties[a].allOf[0].properties[b].oneOf[0].nullable: Forbidden: must be false to be structural"
    ])
  })

  it("may say its types where it chooses between numbers and texts", () => {
    const choice: OpenApiSchema = {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }]
    }
    expect(said(withA(choice))).toEqual([])
    expect(said(withA({ ...choice, type: "string", "x-kubernetes-int-or-string": false }))).toHaveLength(2)
  })
})

describe("a default that could not be stored", () => {
  const at = "s.properties[a].default"
  it.each<Row>([
    {
      why: "is of another type",
      schema: withA({ type: "integer", default: "big" }),
      errors: [`${at}: Invalid value: "string":  in body must be of type integer: "string"`]
    },
    { why: "not: is right", schema: withA({ type: "integer", default: 3 }), errors: [] },
    {
      why: "not: is nothing where nothing may be",
      schema: withA({ type: "integer", nullable: true, default: null }),
      errors: []
    },
    {
      why: "has a field that nobody knows",
      schema: withA({ type: "object", default: { b: 1 } }),
      errors: [`${at}: Invalid value: {"b":1}: must not have unknown fields`]
    },
    {
      why: "is wrong within",
      schema: withA(withA({ type: "string" }, { default: { a: 1 } })),
      errors: [`${at}.a: Invalid value: "integer": a in body must be of type string: "integer"`]
    },
    {
      why: "not: is completed by the defaults of its fields",
      schema: withA(withA({ type: "string", default: "x" }, { required: ["a"], default: {} })),
      errors: []
    },
    {
      why: "is that of an element, or of a value",
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
      why: "is not looked at where the schema itself is wrong",
      schema: withA({ type: "integer", default: "big", uniqueItems: true }),
      errors: [
        "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity " +
          "becomes quadratic"
      ]
    }
  ])("$why", ({ schema, errors }) => {
    expect(said(schema)).toEqual(errors)
  })
})
