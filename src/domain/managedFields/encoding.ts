import { canonicalElement, orderedElements } from "./pathElements.ts"
import { emptySet, type FieldSet, type PathElement } from "./fieldSet.ts"

/**
 * A set of fields as it stands in `fieldsV1`: a tree of maps whose leaves are empty, with a `.` for a place that
 * is in the set itself and has something below it.
 *
 * Source: sigs.k8s.io/structured-merge-diff/fieldpath (serialize.go).
 */
interface FieldsV1 {
  readonly [element: string]: FieldsV1
}

/** The keys are in the order in which Kubernetes writes them. */
export const encodeFields = (set: FieldSet): FieldsV1 => {
  const entries: Array<readonly [string, FieldsV1]> = []
  for (const element of orderedElements(set)) {
    const child = set.children.get(element)
    if (child !== undefined) entries.push([element, encodePlace(child)])
  }
  return Object.fromEntries(entries)
}

const encodePlace = (set: FieldSet): FieldsV1 => {
  if (set.children.size === 0) return {}
  return set.owned ? { ".": {}, ...encodeFields(set) } : encodeFields(set)
}

/** Such trees come from clients; one this deep describes no object. */
const depthMax = 500

/** Reads what anyone has written; undefined where it is no set of fields. */
export const decodeFields = (fields: unknown, depth = 0): FieldSet | undefined => {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields) || depth > depthMax)
    return undefined
  const children = new Map<PathElement, FieldSet>()
  let owned = false
  for (const [text, below] of Object.entries(fields)) {
    if (text === ".") {
      owned = true
      continue
    }
    const element = canonicalElement(text)
    const child = decodeFields(below, depth + 1)
    if (element === undefined || child === undefined) return undefined
    children.set(element, child)
  }
  if (children.size > 0) return { owned, children }
  return depth === 0 ? emptySet : leaf
}

const leaf: FieldSet = { owned: true, children: new Map() }
