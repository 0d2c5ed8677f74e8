import { isFields, type Fields } from "../fields.ts"
import { fieldElement, keyElement, singleKeyElement, valueElement } from "./pathElements.ts"
import { defaultOfKey, type Shape } from "./topology.ts"
import type { PathElement } from "./fieldSet.ts"

/**
 * The parts of a value that can have owners of their own. A list may, against its own rules, have two elements
 * with the same key: then the part has more than one value.
 *
 * Source: sigs.k8s.io/structured-merge-diff/typed (helpers.go).
 */
type Parts = ReadonlyMap<PathElement, ReadonlyArray<unknown>>

/** The parts of a value, or undefined where it can only be owned as a whole. */
export const partsOf = (shape: Shape, value: unknown): Parts | undefined => {
  if (shape.type === "atomic") return undefined
  if (shape.type === "listMap" || shape.type === "set") {
    return Array.isArray(value) ? partsOfList(shape, value) : undefined
  }
  if (!isFields(value)) return undefined
  return new Map(Object.entries(value).map(([field, part]) => [fieldElement(field), [part]]))
}

export const partsOfList = (shape: Shape, list: ReadonlyArray<unknown>): Parts => {
  const parts = new Map<PathElement, ReadonlyArray<unknown>>()
  for (const value of list) {
    const element = elementOf(shape, value)
    const others = parts.get(element)
    parts.set(element, others === undefined ? [value] : [...others, value])
  }
  return parts
}

/** How an element of a list is named: by its key, or by itself. */
export const elementOf = (shape: Shape, value: unknown): PathElement => {
  if (shape.type !== "listMap" || !isFields(value)) return valueElement(value)
  const { keys } = shape
  const [first] = keys
  const only = keys.length === 1 && first !== undefined ? keyValue(value, first) : undefined
  return first !== undefined && typeof only === "string"
    ? singleKeyElement(first, only)
    : keyElement(keys.map((key) => [key, keyValue(value, key)]))
}

const keyValue = (element: Fields, key: string): unknown => {
  const value = Object.hasOwn(element, key) ? element[key] : undefined
  return value ?? defaultOfKey(key)
}

/** Whether the elements of a list are named by what no other object has: an address, an identity. */
export const isIdentifiedByKey = (shape: Shape): boolean =>
  shape.type === "set" || (shape.type === "listMap" && shape.keys.some((key) => identifying.has(key)))

const identifying: ReadonlySet<string> = new Set(["ip", "uid"])
