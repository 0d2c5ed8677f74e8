import { isFields, type Fields } from "../fields.ts"
import { dequal } from "dequal/lite"
import { fieldElement } from "./pathElements.ts"
import { emptySet, isEmpty, type FieldSet, type PathElement } from "./fieldSet.ts"
import { elementOf, partsOf, partsOfList } from "./parts.ts"
import { partShape, type Shape } from "./topology.ts"

/**
 * Merges a configuration into a live value, and takes out of it what no longer has an owner. What does not
 * change is shared, and nothing is changed in place.
 *
 * Source: sigs.k8s.io/structured-merge-diff/typed (merge.go, remove.go), merge (update.go, prune).
 */
export const mergeConfiguration = (shape: Shape, live: unknown, applied: unknown): unknown => {
  if (applied === null) return (partsOf(shape, live)?.size ?? 0) > 0 ? live : undefined
  const isList = shape.type === "listMap" || shape.type === "set"
  if (isList && Array.isArray(applied)) return mergeList(shape, live, applied)
  if (shape.type !== "atomic" && isFields(applied)) return mergeMap(shape, live, applied)
  return dequal(live, applied) ? live : applied
}

const mergeMap = (shape: Shape, live: unknown, applied: Fields): Fields => {
  const before = isFields(live) ? live : {}
  const entries = new Map(Object.entries(before))
  let changed = false
  for (const [field, wanted] of Object.entries(applied)) {
    const present = entries.get(field)
    const value = mergeConfiguration(partShape(shape, fieldElement(field)).shape, present, wanted)
    if (value === present) continue
    changed = true
    if (value === undefined) entries.delete(field)
    else entries.set(field, value)
  }
  return changed ? Object.fromEntries(entries) : before
}

/**
 * The elements that both have are in the configuration's order; what only the live list has stays before the
 * next of them that follows it there. An empty list says nothing, and is none when nothing is there.
 */
const mergeList = (shape: Shape, live: unknown, applied: ReadonlyArray<unknown>): unknown => {
  const liveList: ReadonlyArray<unknown> = Array.isArray(live) ? live : []
  const present = partsOfList(shape, liveList)
  const wanted = partsOfList(shape, applied)
  const merged: Array<unknown> = []
  const queue = [...wanted.keys()]
  const shared = queue.filter((element) => present.has(element))
  let [placed, sharedPlaced] = [0, 0]
  const placeThrough = (last: PathElement | undefined): void => {
    for (let element = queue[placed]; element !== undefined; element = queue[placed]) {
      const [old = [], [change] = []] = [present.get(element), wanted.get(element)]
      const base = old.length === 1 ? old[0] : undefined
      merged.push(mergeConfiguration(partShape(shape, element).shape, base, change))
      placed += 1
      if (element === last) break
    }
  }
  for (const value of liveList) {
    const element = elementOf(shape, value)
    if (!wanted.has(element)) merged.push(value)
    else if (element === shared[sharedPlaced]) {
      sharedPlaced += 1
      placeThrough(element)
      // What has been placed with it, or will be later, is passed over where the live list has it.
    }
  }
  placeThrough(undefined)
  const same = merged.length === liveList.length && merged.every((value, place) => value === liveList[place])
  return same ? live : merged
}

interface Pruning {
  readonly shape: Shape
  readonly value: unknown
  /** What the one who applies said the last time. */
  readonly last: FieldSet
  /** What anybody owns now. */
  readonly owned: FieldSet
}

/**
 * Takes out what was applied the last time and is owned by nobody now, with all that is below it. A struct goes
 * when nobody owns anything in it. A map or list of which nothing is left goes too, unless someone says that
 * it be there.
 */
export const pruneUnowned = ({ shape, value, last, owned }: Pruning): unknown => {
  const parts = partsOf(shape, value)
  if (parts === undefined || isEmpty(last)) return value
  const gone = new Set<PathElement>()
  const changed = new Map<PathElement, unknown>()
  for (const [element, values] of parts) {
    const lastPart = last.children.get(element)
    if (lastPart === undefined) continue
    const { shape: partsShape, named } = partShape(shape, element)
    const ownedPart = owned.children.get(element)
    const isOwned = ownedPart !== undefined && (named || ownedPart.owned)
    if ((named || lastPart.owned) && !isOwned) gone.add(element)
    else if (values.length === 1) {
      const [before] = values
      const after = pruneUnowned({
        shape: partsShape,
        value: before,
        last: lastPart,
        owned: ownedPart ?? emptySet
      })
      if (after === undefined) gone.add(element)
      else if (after !== before) changed.set(element, after)
    }
  }
  if (gone.size + changed.size === 0) return value
  const isSaid = owned.owned && !Array.isArray(value)
  return gone.size === parts.size && !isSaid ? undefined : rebuilt(shape, value, { gone, changed })
}

const rebuilt = (
  shape: Shape,
  value: unknown,
  edits: { readonly gone: ReadonlySet<PathElement>; readonly changed: ReadonlyMap<PathElement, unknown> }
): unknown => {
  const { gone, changed } = edits
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const element = elementOf(shape, item)
      return gone.has(element) ? [] : [changed.get(element) ?? item]
    })
  }
  const entries = Object.entries(Object(value)).flatMap(([field, item]) => {
    const element = fieldElement(field)
    return gone.has(element) ? [] : [[field, changed.get(element) ?? item] as const]
  })
  return Object.fromEntries(entries)
}
