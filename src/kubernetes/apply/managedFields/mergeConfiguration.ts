import { isFields, type Fields } from "../../meta/fields.ts"
import { dequal } from "dequal/lite"
import { fieldElement } from "./pathElements.ts"
import { emptyFieldSet, isEmptyFieldSet, type FieldSet, type PathElement } from "./fieldSet.ts"
import { pathElementOf, ownableParts, listParts } from "./ownableParts.ts"
import { partTopology, type Topology } from "./topology.ts"

/**
 * Merges a configuration into a live value. Unchanged parts are shared.
 * Source: sigs.k8s.io/structured-merge-diff/typed (merge.go, remove.go), merge (update.go, prune).
 */
export const mergeConfiguration = (shape: Topology, live: unknown, applied: unknown): unknown => {
  if (applied === null) return (ownableParts(shape, live)?.size ?? 0) > 0 ? live : undefined
  const isList = shape.type === "listMap" || shape.type === "set"
  if (isList && Array.isArray(applied)) return mergeList(shape, live, applied)
  if (shape.type !== "atomic" && isFields(applied)) return mergeMap(shape, live, applied)
  return dequal(live, applied) ? live : applied
}

const mergeMap = (shape: Topology, live: unknown, applied: Fields): Fields => {
  const before = isFields(live) ? live : {}
  const entries = new Map(Object.entries(before))
  let changed = false
  for (const [field, configured] of Object.entries(applied)) {
    const liveParts = entries.get(field)
    const value = mergeConfiguration(partTopology(shape, fieldElement(field)).shape, liveParts, configured)
    if (value === liveParts) continue
    changed = true
    if (value === undefined) entries.delete(field)
    else entries.set(field, value)
  }
  return changed ? Object.fromEntries(entries) : before
}

/**
 * Elements in both lists take the configuration's order. A live-only element stays in front of the shared element
 * that follows it in the live list. An empty configured list changes nothing.
 */
const mergeList = (shape: Topology, live: unknown, applied: ReadonlyArray<unknown>): unknown => {
  const liveList: ReadonlyArray<unknown> = Array.isArray(live) ? live : []
  const liveParts = listParts(shape, liveList)
  const configured = listParts(shape, applied)
  const result: Array<unknown> = []
  const queue = [...configured.keys()]
  const sharedElements = queue.filter((element) => liveParts.has(element))
  let [appendedCount, sharedCount] = [0, 0]
  const appendThrough = (last: PathElement | undefined): void => {
    for (let element = queue[appendedCount]; element !== undefined; element = queue[appendedCount]) {
      const [liveItems = [], [change] = []] = [liveParts.get(element), configured.get(element)]
      const liveItem = liveItems.length === 1 ? liveItems[0] : undefined
      result.push(mergeConfiguration(partTopology(shape, element).shape, liveItem, change))
      appendedCount += 1
      if (element === last) break
    }
  }
  for (const value of liveList) {
    const element = pathElementOf(shape, value)
    if (!configured.has(element)) result.push(value)
    else if (element === sharedElements[sharedCount]) {
      sharedCount += 1
      appendThrough(element)
    }
  }
  appendThrough(undefined)
  const isUnchanged =
    result.length === liveList.length && result.every((value, index) => value === liveList[index])
  return isUnchanged ? live : result
}

interface PruneOptions {
  readonly shape: Topology
  readonly value: unknown
  readonly last: FieldSet
  readonly owned: FieldSet
}

/**
 * Removes what the manager applied last time and no manager owns now. A struct is removed when none of its fields is
 * owned; an emptied map or list too, unless a manager owns it explicitly.
 */
export const pruneUnowned = ({ shape, value, last, owned }: PruneOptions): unknown => {
  const parts = ownableParts(shape, value)
  if (parts === undefined || isEmptyFieldSet(last)) return value
  const removed = new Set<PathElement>()
  const changed = new Map<PathElement, unknown>()
  for (const [element, values] of parts) {
    const lastPart = last.children.get(element)
    if (lastPart === undefined) continue
    const { shape: partsShape, named } = partTopology(shape, element)
    const ownedPart = owned.children.get(element)
    const isOwned = ownedPart !== undefined && (named || ownedPart.owned)
    if ((named || lastPart.owned) && !isOwned) removed.add(element)
    else if (values.length === 1) {
      const [before] = values
      const after = pruneUnowned({
        shape: partsShape,
        value: before,
        last: lastPart,
        owned: ownedPart ?? emptyFieldSet
      })
      if (after === undefined) removed.add(element)
      else if (after !== before) changed.set(element, after)
    }
  }
  if (removed.size + changed.size === 0) return value
  const isExplicit = owned.owned && !Array.isArray(value)
  return removed.size === parts.size && !isExplicit ? undefined : rebuild(shape, value, { removed, changed })
}

const rebuild = (
  shape: Topology,
  value: unknown,
  edits: { readonly removed: ReadonlySet<PathElement>; readonly changed: ReadonlyMap<PathElement, unknown> }
): unknown => {
  const { removed, changed } = edits
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const element = pathElementOf(shape, item)
      return removed.has(element) ? [] : [changed.get(element) ?? item]
    })
  }
  const entries = Object.entries(Object(value)).flatMap(([field, item]) => {
    const element = fieldElement(field)
    return removed.has(element) ? [] : [[field, changed.get(element) ?? item] as const]
  })
  return Object.fromEntries(entries)
}
