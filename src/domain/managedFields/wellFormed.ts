import { isFields } from "../fields.ts"
import { elementOf, partsOf } from "./parts.ts"
import { fieldElement, pathText } from "./pathElements.ts"
import { partShape, type Shape } from "./topology.ts"
import type { FieldPath } from "./fieldSet.ts"

/**
 * What makes a configuration impossible to merge: fields that its kind does not have, and lists in which the
 * elements cannot be told apart.
 *
 * Source: sigs.k8s.io/structured-merge-diff/typed (validate.go, helpers.go).
 */
export const shapeErrors = (shape: Shape, value: unknown, path: FieldPath = []): ReadonlyArray<string> => {
  if (path.length > depthMax) return [`${pathText(path.slice(0, 3))}…: nested too deeply`]
  if (shape.type === "listMap" || shape.type === "set") {
    return Array.isArray(value) ? listErrors(shape, value, path) : []
  }
  if (shape.type === "atomic" || !isFields(value)) return []
  return Object.entries(value).flatMap(([field, item]) => {
    const element = fieldElement(field)
    const place = [...path, element]
    const isUnknown = shape.type === "struct" && shape.others === undefined && !shape.fields.has(field)
    if (isUnknown) return [`${pathText(place)}: field not declared in schema`]
    return shapeErrors(partShape(shape, element).shape, item, place)
  })
}

/** Configurations are trees that clients send; one this deep is not meant to describe an object. */
const depthMax = 500

const listErrors = (
  shape: Extract<Shape, { type: "listMap" | "set" }>,
  list: ReadonlyArray<unknown>,
  path: FieldPath
): ReadonlyArray<string> => {
  const strays = list.flatMap((item, place) =>
    elementOf(shape, item) === undefined
      ? [`${pathText(path)}: element ${place}: associative list with keys may not have non-map elements`]
      : []
  )
  if (strays.length > 0) return strays
  return [...(partsOf(shape, list) ?? [])].flatMap(([element, values]) => {
    const place = [...path, element]
    if (values.length > 1) {
      return [`${pathText(path)}: duplicate entries for key ${pathText([element])}`]
    }
    return shapeErrors(partShape(shape, element).shape, values[0], place)
  })
}
