import { describe, expect, it } from "vitest"
import { schemaProblemTexts, schemaWithA } from "./schemaRows.ts"
import type { SchemaRow } from "./schemaRows.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

const unknownParts = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"]

const unsupported: ReadonlyArray<SchemaRow> = [
  {
    why: "unsupported parts of OpenAPI",
    schema: { type: "object", ...Object.fromEntries(unknownParts.map((field) => [field, {}])) },
    errors: unknownParts.map((field) => `s.${field}: Forbidden: ${field} is not supported`)
  },
  {
    why: "the type null",
    schema: schemaWithA({ type: "null" }),
    errors: ["s.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative"]
  },
  {
    why: "an unknown type",
    schema: schemaWithA({ type: "text" }),
    errors: [
      's.properties[a].type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", ' +
        '"object", "string"'
    ]
  },
  {
    why: "items as a list",
    schema: schemaWithA({ type: "array", items: [{ type: "string" }] }),
    errors: [
      "s.properties[a].items: Forbidden: items must be a schema object and not an array",
      "s.properties[a].items.type: Required value: must not be empty for specified array items"
    ]
  },
  {
    why: "uniqueItems",
    schema: schemaWithA({ type: "array", items: { type: "string" }, uniqueItems: true }),
    errors: [
      "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity " +
        "becomes quadratic"
    ]
  },
  {
    why: "properties beside additionalProperties",
    schema: schemaWithA(schemaWithA({ type: "string" }, { additionalProperties: { type: "string" } })),
    errors: [
      "s.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"
    ]
  },
  {
    why: "properties beside additionalProperties: false",
    schema: schemaWithA(schemaWithA({ type: "string" }, { additionalProperties: false })),
    errors: [
      "s.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"
    ]
  },
  {
    why: "not: properties beside additionalProperties: true",
    schema: schemaWithA(schemaWithA({ type: "string" }, { additionalProperties: true })),
    errors: []
  },
  {
    why: "not: empty properties beside additionalProperties",
    schema: schemaWithA({ type: "object", properties: {}, additionalProperties: { type: "string" } }),
    errors: []
  },
  {
    why: "uniqueItems deep inside the schema",
    schema: schemaWithA({
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

const embedded = (more: OpenApiSchema): OpenApiSchema => ({
  type: "object",
  properties: { spec: { type: "object" } },
  "x-kubernetes-embedded-resource": true,
  ...more
})

const structure: ReadonlyArray<SchemaRow> = [
  {
    why: "an array without items",
    schema: schemaWithA({ type: "array" }),
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
    schema: schemaWithA(
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
        a: embedded({ type: "" }),
        b: embedded({ type: "string" }),
        c: embedded({})
      }
    },
    errors: [
      "s.properties[a].type: Required value: must be object if x-kubernetes-embedded-resource is true",
      's.properties[b].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'
    ]
  },
  {
    why: "an embedded resource that is a map",
    schema: schemaWithA(embedded({ properties: {}, additionalProperties: { type: "string" } })),
    errors: [
      "s.properties[a].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set",
      "s.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true " +
        "without x-kubernetes-preserve-unknown-fields"
    ]
  },
  {
    why: "not: an embedded resource of any fields",
    schema: schemaWithA(embedded({ properties: {}, "x-kubernetes-preserve-unknown-fields": true })),
    errors: []
  },
  {
    why: "apiVersion, kind and metadata of other types in an embedded resource",
    schema: schemaWithA(
      embedded({
        properties: {
          apiVersion: { type: "integer" },
          kind: { type: "integer" },
          metadata: { type: "string" }
        }
      })
    ),
    errors: [
      's.properties[a].properties[kind].type: Invalid value: "integer": must be string',
      's.properties[a].properties[apiVersion].type: Invalid value: "integer": must be string',
      's.properties[a].properties[metadata].type: Invalid value: "string": must be object'
    ]
  },
  {
    why: "not: labels in the metadata of an embedded resource",
    schema: schemaWithA(
      embedded({ properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } })
    ),
    errors: []
  },
  {
    why: "an int-or-string that is a resource of any fields",
    schema: schemaWithA(
      embedded({ "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-int-or-string": true })
    ),
    errors: ["preserve-unknown-fields", "embedded-resource"].map(
      (extension) =>
        `s.properties[a].x-kubernetes-${extension}: Invalid value: true: must be false if ` +
        "x-kubernetes-int-or-string is true"
    )
  },
  {
    why: "an invalid pattern",
    schema: schemaWithA({ type: "string", pattern: "(" }),
    errors: ['s.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t']
  },
  { why: "not: a valid pattern", schema: schemaWithA({ type: "string", pattern: "a+" }), errors: [] },
  { why: "not: an empty pattern", schema: schemaWithA({ type: "string", pattern: "" }), errors: [] },
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
    schema: schemaWithA({ type: "object", properties: { metadata: { type: "string" } } }),
    errors: []
  }
]

describe("validation of a schema (TestValidateCustomResourceDefinitionValidation)", () => {
  it.each(unsupported)("rejects what is not supported: $why", ({ schema, errors }) => {
    expect(schemaProblemTexts(schema)).toEqual(errors)
  })
  it.each(structure)("checks the structure: $why", ({ schema, errors }) => {
    expect(schemaProblemTexts(schema)).toEqual(errors)
  })
})

describe("validation of a default", () => {
  const at = "s.properties[a].default"
  it.each<SchemaRow>([
    {
      why: "rejects another type",
      schema: schemaWithA({ type: "integer", default: "big" }),
      errors: [`${at}: Invalid value: "string":  in body must be of type integer: "string"`]
    },
    { why: "not: a valid value", schema: schemaWithA({ type: "integer", default: 3 }), errors: [] },
    {
      why: "not: null in a nullable field",
      schema: schemaWithA({ type: "integer", nullable: true, default: null }),
      errors: []
    },
    {
      why: "rejects an unknown field",
      schema: schemaWithA({ type: "object", default: { b: 1 } }),
      errors: [`${at}: Invalid value: {"b":1}: must not have unknown fields`]
    },
    {
      why: "rejects a wrong value inside an object",
      schema: schemaWithA(schemaWithA({ type: "string" }, { default: { a: 1 } })),
      errors: [`${at}.a: Invalid value: "integer": a in body must be of type string: "integer"`]
    },
    {
      why: "not: an object completed by the defaults of its fields",
      schema: schemaWithA(schemaWithA({ type: "string", default: "x" }, { required: ["a"], default: {} })),
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
      schema: schemaWithA({ type: "integer", default: "big", uniqueItems: true }),
      errors: [
        "s.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity " +
          "becomes quadratic"
      ]
    }
  ])("$why", ({ schema, errors }) => {
    expect(schemaProblemTexts(schema)).toEqual(errors)
  })
})
