import { describe, expect, it } from "vitest"
import { schemaTopologies } from "../../../src/kubernetes/apply/managedFields/topology.ts"
import type { OpenApiSchema } from "../../../src/kubernetes/customResources/openApiSchema.ts"

const shapeOf = (schema: OpenApiSchema) => schemaTopologies({ properties: { a: schema } }).get("a")

const text: OpenApiSchema = { type: "string" }
const atomic = { type: "atomic" }
const deduced = { type: "deduced" }

describe("who can own what of a custom resource", () => {
  it.each<{ why: string; schema: OpenApiSchema; shape: object }>([
    { why: "a scalar is one value", schema: text, shape: atomic },
    { why: "so is a number or a text", schema: { "x-kubernetes-int-or-string": true }, shape: atomic },
    {
      why: "what is kept as it is has fields of its own",
      schema: { "x-kubernetes-preserve-unknown-fields": true },
      shape: deduced
    },
    { why: "a list is one value", schema: { type: "array", items: text }, shape: atomic },
    {
      why: "a set is its elements",
      schema: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      shape: { type: "set" }
    },
    {
      why: "a list with keys is its elements by their keys, in order",
      schema: {
        type: "array",
        items: { type: "object", additionalProperties: text },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["port", "name"]
      },
      shape: { type: "listMap", keys: ["name", "port"], elements: { type: "map", values: atomic } }
    },
    {
      why: "a list with keys of which no more is said",
      schema: { type: "array", "x-kubernetes-list-type": "map" },
      shape: { type: "listMap", keys: [], elements: deduced }
    },
    {
      why: "a map is its values",
      schema: { type: "object", additionalProperties: text },
      shape: { type: "map", values: atomic }
    },
    {
      why: "an object that is one value",
      schema: { type: "object", properties: { b: text }, "x-kubernetes-map-type": "atomic" },
      shape: atomic
    },
    {
      why: "an object is its fields, and whatever else is in it",
      schema: { type: "object", properties: { b: text } },
      shape: { type: "struct", fields: new Map([["b", atomic]]), alwaysThere: new Set(), others: deduced }
    },
    {
      why: "an object of which nothing is said",
      schema: { type: "object" },
      shape: { type: "struct", fields: new Map(), alwaysThere: new Set(), others: deduced }
    }
  ])("$why", ({ schema, shape }) => {
    expect(shapeOf(schema)).toEqual(shape)
  })

  it("is nothing in particular where there is no field", () => {
    expect(schemaTopologies({}).size).toBe(0)
  })
})
