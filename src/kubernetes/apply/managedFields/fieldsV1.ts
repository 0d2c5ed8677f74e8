import { isFields } from "../../meta/fields.ts"
import { canonicalElement, sortedChildren } from "./pathElements.ts"
import type { FieldSet, PathElement } from "./fieldSet.ts"

/** Source: sigs.k8s.io/structured-merge-diff/fieldpath/serialize.go. */
interface FieldsV1 {
  readonly [element: string]: FieldsV1
}

/** The root has no owner, so there is no `.` at the top. */
export const encodeFieldSet = (set: FieldSet): FieldsV1 =>
  set.owned ? encode(set, false) : encodeCached(set)

/** Objects with equal changes share field sets. */
const encodings = new WeakMap<FieldSet, FieldsV1>()

const encodeCached = (set: FieldSet): FieldsV1 => {
  if (set.children.size === 0) return leafFields
  const cached = encodings.get(set)
  if (cached !== undefined) return cached
  const fields = encode(set, set.owned)
  encodings.set(set, fields)
  return fields
}

const encode = (set: FieldSet, owned: boolean): FieldsV1 => {
  const fields: Record<string, FieldsV1> = {}
  if (owned) fields["."] = leafFields
  for (const [element, child] of sortedChildren(set)) fields[element] = encodeCached(child)
  return Object.freeze(fields)
}

const leafFields: FieldsV1 = Object.freeze({})

const fieldsDepthMax = 500

/** Undefined for invalid `fieldsV1`. */
export const decodeFieldSet = (fields: unknown): FieldSet | undefined => {
  const cached = isFields(fields) ? decodings.get(fields) : undefined
  if (cached !== undefined) return cached
  const set = decode(fields, 0)
  if (set === undefined) return undefined
  const root = { owned: false, children: set.children }
  if (isFields(fields) && Object.isFrozen(fields)) decodings.set(fields, root)
  return root
}

/** By frozen `fieldsV1`, which the versions of an object share. */
const decodings = new WeakMap<object, FieldSet>()

const decode = (fields: unknown, depth: number): FieldSet | undefined => {
  if (!isFields(fields) || depth > fieldsDepthMax) return undefined
  const children = new Map<PathElement, FieldSet>()
  for (const [text, childFields] of Object.entries(fields)) {
    if (text === ".") continue
    const element = canonicalElement(text)
    const child = decode(childFields, depth + 1)
    if (element === undefined || child === undefined) return undefined
    children.set(element, child)
  }
  return children.size === 0 ? leaf : { owned: Object.hasOwn(fields, "."), children }
}

const leaf: FieldSet = { owned: true, children: new Map() }
