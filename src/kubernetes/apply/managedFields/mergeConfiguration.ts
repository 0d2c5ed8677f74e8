import { isFields, type Fields } from "../../meta/fields.ts"
import { dequal } from "dequal/lite"
import { fieldElement } from "./pathElements.ts"
import { emptyFieldSet, isEmptyFieldSet, type FieldSet, type PathElement } from "./fieldSet.ts"
import { pathElementOf, ownableParts, listParts } from "./ownableParts.ts"
import { partTopology, type OwnershipTopology } from "./ownershipTopology.ts"

/**
 * The live object with the fields of a server-side apply. A null removes the live value, unless that has parts.
 * Source: sigs.k8s.io/structured-merge-diff (typed/merge.go, merge/update.go).
 */
export const mergeConfiguration = (topology: OwnershipTopology, live: unknown, applied: unknown): unknown => {
  if (applied === null) return (ownableParts(topology, live)?.size ?? 0) > 0 ? live : undefined
  const isList = topology.type === "listMap" || topology.type === "set"
  if (isList && Array.isArray(applied)) return mergeList(topology, live, applied)
  if (topology.type !== "atomic" && isFields(applied)) return mergeMap(topology, live, applied)
  return dequal(live, applied) ? live : applied
}

const mergeMap = (topology: OwnershipTopology, live: unknown, applied: Fields): Fields => {
  const liveFields = isFields(live) ? live : {}
  const entries = new Map(Object.entries(liveFields))
  let changed = false
  for (const [field, appliedValue] of Object.entries(applied)) {
    const liveValue = entries.get(field)
    const value = mergeConfiguration(
      partTopology(topology, fieldElement(field)).topology,
      liveValue,
      appliedValue
    )
    if (value === liveValue) continue
    changed = true
    if (value === undefined) entries.delete(field)
    else entries.set(field, value)
  }
  return changed ? Object.fromEntries(entries) : liveFields
}

/**
 * Shared elements take the applied order; a live-only element stays before its next shared element. An empty applied
 * list changes nothing.
 */
const mergeList = (topology: OwnershipTopology, live: unknown, applied: ReadonlyArray<unknown>): unknown => {
  const liveList: ReadonlyArray<unknown> = Array.isArray(live) ? live : []
  const liveParts = listParts(topology, liveList)
  const appliedParts = listParts(topology, applied)
  const result: Array<unknown> = []
  const appliedElements = [...appliedParts.keys()]
  const sharedElements = appliedElements.filter((element) => liveParts.has(element))
  let [appendedCount, sharedCount] = [0, 0]
  const appendAppliedThrough = (last?: PathElement): void => {
    for (
      let element = appliedElements[appendedCount];
      element !== undefined;
      element = appliedElements[appendedCount]
    ) {
      const [liveItems = [], [appliedItem] = []] = [liveParts.get(element), appliedParts.get(element)]
      // Live duplicates of one key are replaced, not merged.
      const liveItem = liveItems.length === 1 ? liveItems[0] : undefined
      result.push(mergeConfiguration(partTopology(topology, element).topology, liveItem, appliedItem))
      appendedCount += 1
      if (element === last) break
    }
  }
  for (const value of liveList) {
    const element = pathElementOf(topology, value)
    if (!appliedParts.has(element)) result.push(value)
    else if (element === sharedElements[sharedCount]) {
      sharedCount += 1
      appendAppliedThrough(element)
    }
  }
  appendAppliedThrough()
  const isUnchanged =
    result.length === liveList.length && result.every((value, index) => value === liveList[index])
  return isUnchanged ? live : result
}

interface PruneOptions {
  readonly topology: OwnershipTopology
  readonly value: unknown
  readonly lastApplied: FieldSet
  readonly ownedFields: FieldSet
}

/** Removes what the manager applied before and no manager owns now. */
export const pruneUnowned = ({ topology, value, lastApplied, ownedFields }: PruneOptions): unknown => {
  const parts = ownableParts(topology, value)
  if (parts === undefined || isEmptyFieldSet(lastApplied)) return value
  const removed = new Set<PathElement>()
  const changed = new Map<PathElement, unknown>()
  for (const [element, values] of parts) {
    const lastAppliedPart = lastApplied.children.get(element)
    if (lastAppliedPart === undefined) continue
    const part = partTopology(topology, element)
    const ownedPart = ownedFields.children.get(element)
    // A declared field of a struct is not owned apart from its parts.
    const isOwned = ownedPart !== undefined && (part.isDeclaredField || ownedPart.owned)
    if ((part.isDeclaredField || lastAppliedPart.owned) && !isOwned) removed.add(element)
    else if (values.length === 1) {
      const [item] = values
      const prunedItem = pruneUnowned({
        topology: part.topology,
        value: item,
        lastApplied: lastAppliedPart,
        ownedFields: ownedPart ?? emptyFieldSet
      })
      if (prunedItem === undefined) removed.add(element)
      else if (prunedItem !== item) changed.set(element, prunedItem)
    }
  }
  if (removed.size + changed.size === 0) return value
  const isOwnedExplicitly = ownedFields.owned && !Array.isArray(value)
  return removed.size === parts.size && !isOwnedExplicitly
    ? undefined
    : rebuild(topology, value, { removed, changed })
}

const rebuild = (
  topology: OwnershipTopology,
  value: unknown,
  edits: { readonly removed: ReadonlySet<PathElement>; readonly changed: ReadonlyMap<PathElement, unknown> }
): unknown => {
  const { removed, changed } = edits
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const element = pathElementOf(topology, item)
      return removed.has(element) ? [] : [changed.get(element) ?? item]
    })
  }
  const entries = Object.entries(Object(value)).flatMap(([field, item]) => {
    const element = fieldElement(field)
    return removed.has(element) ? [] : [[field, changed.get(element) ?? item] as const]
  })
  return Object.fromEntries(entries)
}
