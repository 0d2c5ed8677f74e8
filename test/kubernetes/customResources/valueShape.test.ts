import { describe, expect, it } from "vitest"
import { schemaTopologies } from "../../../src/kubernetes/apply/managedFields/ownershipTopology.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

const shapeOf = (schema: OpenApiSchema) => schemaTopologies({ properties: { a: schema } }).get("a")

const text: OpenApiSchema = { type: "string" }
const atomic = { type: "atomic" }
const schemaless = { type: "deduced" }

describe("the ownership shape of custom resource fields", () => {
  it.each<{ why: string; schema: OpenApiSchema; shape: object }>([
    { why: "a scalar is atomic", schema: text, shape: atomic },
    { why: "an int-or-string is atomic", schema: { "x-kubernetes-int-or-string": true }, shape: atomic },
    {
      why: "preserved unknown fields are owned one by one",
      schema: { "x-kubernetes-preserve-unknown-fields": true },
      shape: schemaless
    },
    { why: "a list is atomic", schema: { type: "array", items: text }, shape: atomic },
    {
      why: "a set is owned by element",
      schema: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      shape: { type: "set" }
    },
    {
      why: "a list with keys is owned by element, with sorted keys",
      schema: {
        type: "array",
        items: { type: "object", additionalProperties: text },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "name"]
      },
      shape: { type: "listMap", keys: ["name", "port"], elements: { type: "map", values: atomic } }
    },
    {
      why: "a list with keys but without item schema",
      schema: { type: "array", "x-kubernetes-list-type": "map" },
      shape: { type: "listMap", keys: [], elements: schemaless }
    },
    {
      why: "a map is owned by value",
      schema: { type: "object", additionalProperties: text },
      shape: { type: "map", values: atomic }
    },
    {
      why: "an object with map type atomic",
      schema: { type: "object", properties: { b: text }, "x-kubernetes-map-type": "atomic" },
      shape: atomic
    },
    {
      why: "an object is owned by field, unknown fields included",
      schema: { type: "object", properties: { b: text } },
      shape: {
        type: "struct",
        fields: new Map([["b", atomic]]),
        alwaysPresent: new Set(),
        undeclared: schemaless
      }
    },
    {
      why: "an object without properties",
      schema: { type: "object" },
      shape: { type: "struct", fields: new Map(), alwaysPresent: new Set(), undeclared: schemaless }
    }
  ])("$why", ({ schema, shape }) => {
    expect(shapeOf(schema)).toEqual(shape)
  })

  it("is empty without properties", () => {
    expect(schemaTopologies({}).size).toBe(0)
  })
})
