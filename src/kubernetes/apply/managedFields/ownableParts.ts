import { isFields, type Fields } from "../../meta/fields.ts"
import { fieldElement, keyElement, singleKeyElement, valueElement } from "./pathElements.ts"
import { defaultKeyValue, type OwnershipTopology } from "./ownershipTopology.ts"
import type { PathElement } from "./fieldSet.ts"

/**
 * In an invalid list several elements can have one key, so a part can have several values. Source:
 * sigs.k8s.io/structured-merge-diff/typed/helpers.go.
 */
type Parts = ReadonlyMap<PathElement, ReadonlyArray<unknown>>

/** Undefined for a value that is owned as a whole or does not match its schema. */
export const ownableParts = (topology: OwnershipTopology, value: unknown): Parts | undefined => {
  if (topology.type === "atomic") return undefined
  if (topology.type === "listMap" || topology.type === "set") {
    return Array.isArray(value) ? listParts(topology, value) : undefined
  }
  if (!isFields(value)) return undefined
  return new Map(Object.entries(value).map(([field, part]) => [fieldElement(field), [part]]))
}

export const listParts = (topology: OwnershipTopology, list: ReadonlyArray<unknown>): Parts => {
  const parts = new Map<PathElement, ReadonlyArray<unknown>>()
  for (const value of list) {
    const element = pathElementOf(topology, value)
    const others = parts.get(element)
    parts.set(element, others === undefined ? [value] : [...others, value])
  }
  return parts
}

export const pathElementOf = (topology: OwnershipTopology, value: unknown): PathElement => {
  if (topology.type !== "listMap" || !isFields(value)) return valueElement(value)
  const { keys } = topology
  const [first] = keys
  const singleKey = keys.length === 1 && first !== undefined ? keyValue(value, first) : undefined
  return first !== undefined && typeof singleKey === "string"
    ? singleKeyElement(first, singleKey)
    : keyElement(keys.map((key) => [key, keyValue(value, key)]))
}

/** A key has the same default in all lists of Kubernetes. */
const keyValue = (element: Fields, key: string): unknown => {
  const value = Object.hasOwn(element, key) ? element[key] : undefined
  return value ?? defaultKeyValue(key)
}

/** Whether other objects rarely share the path elements, as for an IP or a UID. */
export const hasObjectSpecificKeys = (topology: OwnershipTopology): boolean =>
  topology.type === "set" || (topology.type === "listMap" && topology.keys.some((key) => uniqueKeys.has(key)))

const uniqueKeys: ReadonlySet<string> = new Set(["ip", "uid"])
