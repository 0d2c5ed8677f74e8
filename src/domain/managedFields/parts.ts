import { isFields, type Fields } from "../fields.ts"
import { fieldElement, keyElement, valueElement } from "./pathElements.ts"
import { defaultOfKey, type Shape } from "./topology.ts"
import type { PathElement } from "./fieldSet.ts"

/**
 * The parts of a value that can have owners of their own. A list may, against its own rules, have two elements
 * with the same key: then the part has more than one value.
 *
 * Source: sigs.k8s.io/structured-merge-diff/typed (helpers.go).
 */
type Parts = ReadonlyMap<PathElement, ReadonlyArray<unknown>>

const noParts: Parts = new Map()

/** The parts of a value, none where nothing is there, or undefined where it can only be owned as a whole. */
export const partsOf = (shape: Shape, value: unknown): Parts | undefined => {
  if (shape.type === "atomic") return undefined
  if (value === undefined || value === null) return noParts
  if (shape.type === "listMap" || shape.type === "set") {
    return Array.isArray(value) ? partsOfList(shape, value) : undefined
  }
  if (!isFields(value)) return undefined
  return new Map(Object.entries(value).map(([field, part]) => [fieldElement(field), [part]]))
}

type ListShape = Extract<Shape, { type: "listMap" | "set" }>

const partsOfList = (shape: ListShape, list: ReadonlyArray<unknown>): Parts | undefined => {
  const parts = new Map<PathElement, ReadonlyArray<unknown>>()
  for (const value of list) {
    const element = elementOf(shape, value)
    if (element === undefined) return undefined
    parts.set(element, [...(parts.get(element) ?? []), value])
  }
  return parts
}

/** How an element of a list is named, or undefined where it cannot be. */
export const elementOf = (shape: ListShape, value: unknown): PathElement | undefined => {
  if (shape.type === "set") return typeof value === "object" ? undefined : valueElement(value)
  if (!isFields(value)) return undefined
  return keyElement(shape.keys.map((key) => [key, keyValue(value, key)]))
}

const keyValue = (element: Fields, key: string): unknown => {
  const value = Object.hasOwn(element, key) ? element[key] : undefined
  return value ?? defaultOfKey(key)
}
