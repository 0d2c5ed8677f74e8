import { describe, expect, it } from "vitest"
import { schemaProblemTexts, schemaWithA } from "./schemaRows.ts"
import type { SchemaRow } from "./schemaRows.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

const list = (type: string, more: OpenApiSchema = {}): OpenApiSchema =>
  schemaWithA({ type: "array", items: { type: "string" }, "x-kubernetes-list-type": type, ...more })

const mapOf = (
  keys: ReadonlyArray<string>,
  properties: Readonly<Record<string, OpenApiSchema>>,
  required: ReadonlyArray<string> = []
): OpenApiSchema =>
  list("map", { items: { type: "object", properties, required }, "x-kubernetes-list-map-keys": keys })

const lists: ReadonlyArray<SchemaRow> = [
  { why: "not: a set", schema: list("set"), errors: [] },
  { why: "not: an atomic list", schema: list("atomic"), errors: [] },
  { why: "not: a map", schema: mapOf(["k"], { k: { type: "string" } }, ["k"]), errors: [] },
  {
    why: "not: a map whose key has a default",
    schema: mapOf(["k"], { k: { type: "string", default: "x" } }),
    errors: []
  },
  {
    why: "a list type without a type",
    schema: schemaWithA({ "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-list-type": "set" }),
    errors: ["s.properties[a].type: Required value: must be array if x-kubernetes-list-type is specified"]
  },
  {
    why: "keys of a list that is no map",
    schema: {
      type: "object",
      properties: {
        a: { type: "array", items: { type: "string" }, "x-kubernetes-list-map-keys": ["k"] },
        b: {
          type: "array",
          items: { type: "string" },
          "x-kubernetes-list-map-keys": ["k"],
          "x-kubernetes-list-type": "set"
        }
      }
    },
    errors: [
      "s.properties[a].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty",
      's.properties[b].x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty'
    ]
  },
  {
    why: "a map of items that are no objects",
    schema: list("map", { "x-kubernetes-list-map-keys": ["k"] }),
    errors: [
      `s.properties[a].items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`
    ]
  },
  {
    why: "a map without items",
    schema: schemaWithA({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"]
    }),
    errors: [
      "s.properties[a].items: Required value: must be specified",
      "s.properties[a].items: Required value: must have a schema if x-kubernetes-list-type is map"
    ]
  },
  {
    why: "keys that are missing, lists, repeated or may be absent or null",
    schema: mapOf(
      ["k", "l", "m", "n", "m"],
      {
        l: { type: "array", items: { type: "string" } },
        m: { type: "string" },
        n: { type: "string", nullable: true }
      },
      ["l", "m"]
    ),
    errors: [
      'x-kubernetes-list-map-keys: Invalid value: ["k","l","m","n","m"]: entries must all be names of item properties',
      `items.properties[l].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
      "items.properties[n].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      "items.properties[n].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
      'x-kubernetes-list-map-keys: Invalid value: ["k","l","m","n","m"]: must not contain duplicate entries'
    ].map((text) => `s.properties[a].${text}`)
  },
  {
    why: "an unknown list type",
    schema: list("heap"),
    errors: [
      's.properties[a].x-kubernetes-list-type: Unsupported value: "heap": supported values: "atomic", "set", "map"'
    ]
  },
  {
    why: "a list type of a string",
    schema: schemaWithA({ type: "string", "x-kubernetes-list-type": "set" }),
    errors: [
      's.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified'
    ]
  },
  {
    why: "a list type map without keys",
    schema: mapOf([], {}),
    errors: [
      "s.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map"
    ]
  }
]

describe("validation of a list type", () => {
  it.each(lists)("$why", ({ schema, errors }) => {
    expect(schemaProblemTexts(schema)).toEqual(errors)
  })
})
