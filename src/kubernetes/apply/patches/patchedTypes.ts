import { structFieldsOf, type WireType } from "../../admission/decoding/wireTypes.ts"
import type { Fields } from "../../meta/fields.ts"

/**
 * What strategic merge patches and three-way merges have in common: types of fields, and access to fields and lists.
 */

/** The type of a field of a struct. Types of map values are not needed: no list in them has a rule. */
export const wireFieldType = (type: WireType, field: string): WireType => {
  const types = structFieldsOf(type)
  return types !== undefined && Object.hasOwn(types, field) ? (types[field] ?? "any") : "any"
}

/** The type of the elements of a list. */
export const wireElementType = (type: WireType): WireType =>
  type.startsWith("list:") ? type.slice("list:".length) : "any"

/** The value of a field; ignores inherited properties such as `constructor`. */
export const ownField = (fields: Fields, field: string): unknown =>
  Object.hasOwn(fields, field) ? fields[field] : undefined

export const listOrEmpty = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The current list itself if the merged one has the same elements, so that unchanged parts are shared. */
export const reuseSameList = (merged: ReadonlyArray<unknown>, current: unknown): unknown =>
  Array.isArray(current) &&
  merged.length === current.length &&
  merged.every((element, index) => element === current[index])
    ? current
    : merged
