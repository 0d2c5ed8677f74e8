import { structFieldsOf, type WireType } from "../../admission/decoding/wireTypes.ts"
import type { Fields } from "../../meta/fields.ts"

/** Map values need no type: no list in them has a merge rule. */
export const wireFieldType = (type: WireType, field: string): WireType => {
  const types = structFieldsOf(type)
  return types !== undefined && Object.hasOwn(types, field) ? (types[field] ?? "any") : "any"
}

export const wireElementType = (type: WireType): WireType =>
  type.startsWith("list:") ? type.slice("list:".length) : "any"

/** Ignores inherited properties such as `constructor`. */
export const ownField = (fields: Fields, field: string): unknown =>
  Object.hasOwn(fields, field) ? fields[field] : undefined

export const listOrEmpty = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Returns the current list if it has the same elements, so that unchanged parts are shared. */
export const reuseSameList = (merged: ReadonlyArray<unknown>, current: unknown): unknown =>
  Array.isArray(current) &&
  merged.length === current.length &&
  merged.every((element, index) => element === current[index])
    ? current
    : merged
