import { valuesSchema, type Schema } from "./schema.ts"
import type { Shape } from "../managedFields/topology.ts"

/**
 * What of a custom resource can have an owner of its own: fields, and elements of lists that their schema gives keys.
 *
 * Source: staging/src/k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder (types for server-side apply),
 * sigs.k8s.io/structured-merge-diff/schema.
 */
const shapeOfSchema = (schema: Schema | undefined): Shape => {
  if (schema === undefined) return deduced
  switch (schema.type) {
    case "array":
      return shapeOfList(schema)
    case "object":
      return shapeOfObject(schema)
    default:
      return schema["x-kubernetes-preserve-unknown-fields"] === true ? deduced : atomic
  }
}

const atomic: Shape = { type: "atomic" }
const deduced: Shape = { type: "deduced" }

const shapeOfList = (schema: Schema): Shape => {
  const { "x-kubernetes-list-type": type, "x-kubernetes-list-map-keys": keys = [], items } = schema
  if (type === "set") return { type: "set" }
  if (type !== "map") return atomic
  return { type: "listMap", keys: keys.toSorted(), elements: shapeOfSchema(items) }
}

const shapeOfObject = (schema: Schema): Shape => {
  if (schema["x-kubernetes-map-type"] === "atomic") return atomic
  const values = valuesSchema(schema)
  if (values !== undefined) return { type: "map", values: shapeOfSchema(values) }
  return {
    type: "struct",
    fields: fieldsOfSchema(schema),
    alwaysThere: new Set(),
    others: deduced
  }
}

export const fieldsOfSchema = ({ properties = {} }: Schema): ReadonlyMap<string, Shape> =>
  new Map(Object.entries(properties).map(([name, schema]) => [name, shapeOfSchema(schema)] as const))
