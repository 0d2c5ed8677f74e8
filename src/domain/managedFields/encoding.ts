import { isFields } from "../fields.ts"
import { canonicalElement, orderedChildren } from "./pathElements.ts"
import type { FieldSet, PathElement } from "./fieldSet.ts"

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
export const encodeFields = (set: FieldSet): FieldsV1 => (set.owned ? encode(set, false) : encodePlace(set))

/** Sets and parts of sets are shared by the objects that live alike. */
const encoded = new WeakMap<FieldSet, FieldsV1>()

const encodePlace = (set: FieldSet): FieldsV1 => {
  if (set.children.size === 0) return nothingBelow
  const known = encoded.get(set)
  if (known !== undefined) return known
  const fields = encode(set, set.owned)
  encoded.set(set, fields)
  return fields
}

const encode = (set: FieldSet, owned: boolean): FieldsV1 => {
  const fields: Record<string, FieldsV1> = {}
  if (owned) fields["."] = nothingBelow
  for (const [element, child] of orderedChildren(set)) fields[element] = encodePlace(child)
  return Object.freeze(fields)
}

const nothingBelow: FieldsV1 = Object.freeze({})

/** Such trees come from clients; one this deep describes no object. */
const depthMax = 500

/** Reads what anyone has written; undefined where it is no set of fields. The whole object is nobody's. */
export const decodeFields = (fields: unknown): FieldSet | undefined => {
  const set = decodePlace(fields, 0)
  return set === undefined ? undefined : { owned: false, children: set.children }
}

const decodePlace = (fields: unknown, depth: number): FieldSet | undefined => {
  if (!isFields(fields) || depth > depthMax) return undefined
  const children = new Map<PathElement, FieldSet>()
  for (const [text, below] of Object.entries(fields)) {
    if (text === ".") continue
    const element = canonicalElement(text)
    const child = decodePlace(below, depth + 1)
    if (element === undefined || child === undefined) return undefined
    children.set(element, child)
  }
  return children.size === 0 ? leaf : { owned: Object.hasOwn(fields, "."), children }
}

const leaf: FieldSet = { owned: true, children: new Map() }
