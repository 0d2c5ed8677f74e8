import { isFields } from "../fields.ts"
import { dequal } from "dequal/lite"
import {
  growingSet,
  insert,
  type FieldPath,
  type FieldSet,
  type GrowingSet,
  type PathElement
} from "./fieldSet.ts"
import { partsOf } from "./parts.ts"
import { partShape, type Shape } from "./topology.ts"

/**
 * Which fields a value has, and which differ between two.
 *
 * Source: sigs.k8s.io/structured-merge-diff/typed (tofieldset.go, compare.go).
 */

/** The fields that a configuration has an opinion on. A struct is not among them, what is in it is. */
export const fieldsIn = (shape: Shape, value: unknown): FieldSet => {
  const set = growingSet()
  collect(shape, value, [], set)
  return set
}

const collect = (shape: Shape, value: unknown, path: FieldPath, set: GrowingSet): void => {
  const parts = partsOf(shape, value)
  if (parts === undefined) return insert(set, path)
  for (const [element, values] of parts) {
    const part = partShape(shape, element)
    const place = [...path, element]
    const [first] = values
    if (values.length === 1) collect(part.shape, first, place, set)
    if (!part.named || isEmptyMap(first)) insert(set, place)
  }
}

const isEmptyMap = (value: unknown): boolean => isFields(value) && Object.keys(value).length === 0

interface Changes {
  /** What is new or has another value. */
  readonly changed: FieldSet
  readonly removed: FieldSet
}

/** What differs between two values of a shape. A part that both share is not looked into. */
export const changesBetween = (shape: Shape, before: unknown, after: unknown): Changes => {
  const changes = { changed: growingSet(), removed: growingSet() }
  compare({ shape, before, after, path: [], changes })
  return changes
}

interface Comparison {
  readonly shape: Shape
  readonly before: unknown
  readonly after: unknown
  readonly path: FieldPath
  readonly changes: { readonly changed: GrowingSet; readonly removed: GrowingSet }
}

const compare = ({ shape, before, after, path, changes }: Comparison): void => {
  if (before === after) return
  const was = partsOf(shape, before)
  const is = partsOf(shape, after)
  if (was === undefined || is === undefined) compareWhole(before, after, path, changes)
  for (const element of new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])) {
    const [old = none, now = none] = [was?.get(element), is?.get(element)]
    if (old.length === 1 && now.length === 1 && old[0] === now[0]) continue
    const place = { path: [...path, element], changes }
    const part = partShape(shape, element).shape
    if (old.length <= 1 && now.length <= 1) {
      const absent = valueOfAbsent(shape, element, part)
      compare({
        shape: part,
        before: old[0] ?? (before === undefined ? undefined : absent),
        after: now[0] ?? (after === undefined ? undefined : absent),
        ...place
      })
    } else {
      const [left, right] = [old, now].map((list) => (list.length === 0 ? undefined : list))
      compareWhole(left, right, place.path, changes)
    }
  }
}

/** What a field that is left out counts as in a struct that is there. */
const valueOfAbsent = (shape: Shape, element: PathElement, part: Shape): unknown => {
  if (shape.type !== "struct" || !shape.alwaysThere.has(element.slice(2))) return undefined
  if (part.type === "atomic") return undefined
  return part.type === "listMap" ? none : {}
}

const none: ReadonlyArray<unknown> = []

const compareWhole = (
  before: unknown,
  after: unknown,
  path: FieldPath,
  { changed, removed }: Comparison["changes"]
): void => {
  if (after === undefined) insert(removed, path)
  else if (!dequal(before, after)) insert(changed, path)
}
