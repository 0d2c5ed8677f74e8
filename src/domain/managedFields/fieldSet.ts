/**
 * A set of fields of an object, as a tree: what is owned, and what is owned below it.
 *
 * Source: sigs.k8s.io/structured-merge-diff/fieldpath (set.go).
 */
export interface FieldSet {
  /** Whether the place itself is in the set, and not only something below it. */
  readonly owned: boolean
  readonly children: ReadonlyMap<PathElement, FieldSet>
}

/** One step of a path, written as `fieldsV1` writes it: `f:spec`, `k:{"name":"app"}`, `v:"example.com/hold"`. */
export type PathElement = string
export type FieldPath = ReadonlyArray<PathElement>

const nothing: FieldSet = { owned: false, children: new Map() }

export const emptySet: FieldSet = nothing

export const isEmpty = (set: FieldSet): boolean => !set.owned && set.children.size === 0

/** A set that grows while an object is walked. */
export interface GrowingSet extends FieldSet {
  owned: boolean
  readonly children: Map<PathElement, GrowingSet>
}

export const growingSet = (): GrowingSet => ({ owned: false, children: new Map() })

/** Adds a place. The whole object, which is a path of no steps, is owned by nobody. */
export const insert = (set: GrowingSet, path: FieldPath): void => {
  if (path.length === 0) return
  let place = set
  for (const element of path) {
    let child = place.children.get(element)
    if (child === undefined) {
      child = growingSet()
      place.children.set(element, child)
    }
    place = child
  }
  place.owned = true
}

export const setOf = (...paths: ReadonlyArray<FieldPath>): FieldSet => {
  const set = growingSet()
  for (const path of paths) insert(set, path)
  return set
}

/** `["spec", "replicas"]` as a path. */
export const fieldPath = (...names: ReadonlyArray<string>): FieldPath => names.map((name) => `f:${name}`)

export const has = (set: FieldSet, path: FieldPath): boolean => {
  let place: FieldSet | undefined = set
  for (const element of path) place = place?.children.get(element)
  return place?.owned ?? false
}

/** Both sets together: the first itself where the second adds nothing. */
export const union = (a: FieldSet, b: FieldSet): FieldSet => {
  const children = new Map(a.children)
  let changed = b.owned && !a.owned
  for (const [element, child] of b.children) {
    const before = a.children.get(element)
    const after = before === undefined ? child : union(before, child)
    if (after === before) continue
    changed = true
    children.set(element, after)
  }
  return changed ? { owned: a.owned || b.owned, children } : a
}

/** The places of one set that are not in the other: the first itself where they share none. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet =>
  pruned(a, b, (child, other) => difference(child, other))

/** The places of one set of which neither they nor anything above them is in the other. */
export const without = (a: FieldSet, roots: FieldSet): FieldSet =>
  pruned(a, roots, (child, other) => (other.owned ? nothing : without(child, other)))

const pruned = (a: FieldSet, b: FieldSet, rest: (child: FieldSet, other: FieldSet) => FieldSet): FieldSet => {
  const owned = a.owned && !b.owned
  let children: Map<PathElement, FieldSet> | undefined
  for (const [element, other] of b.children) {
    const child = a.children.get(element)
    if (child === undefined) continue
    const left = rest(child, other)
    if (left === child) continue
    children ??= new Map(a.children)
    if (isEmpty(left)) children.delete(element)
    else children.set(element, left)
  }
  return children === undefined && owned === a.owned ? a : { owned, children: children ?? a.children }
}

export const intersection = (a: FieldSet, b: FieldSet): FieldSet => {
  const children = new Map<PathElement, FieldSet>()
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    const shared = other === undefined ? nothing : intersection(child, other)
    if (!isEmpty(shared)) children.set(element, shared)
  }
  return { owned: a.owned && b.owned, children }
}

export const isSameSet = (a: FieldSet, b: FieldSet): boolean => {
  if (a.owned !== b.owned || a.children.size !== b.children.size) return false
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    if (other === undefined || !isSameSet(child, other)) return false
  }
  return true
}
