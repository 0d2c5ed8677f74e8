/** Source: sigs.k8s.io/structured-merge-diff/fieldpath/set.go. */
export interface FieldSet {
  /** Whether the field itself is in the set, not only fields below. */
  readonly owned: boolean
  readonly children: ReadonlyMap<PathElement, FieldSet>
}

/** In `fieldsV1` form: `f:spec`, `k:{"name":"app"}`, `v:"example.com/hold"`. */
export type PathElement = string
export type FieldPath = ReadonlyArray<PathElement>

export const emptyFieldSet: FieldSet = { owned: false, children: new Map() }

export const isEmptyFieldSet = (set: FieldSet): boolean => !set.owned && set.children.size === 0

export interface MutableFieldSet extends FieldSet {
  owned: boolean
  readonly children: Map<PathElement, MutableFieldSet>
}

export const newFieldSet = (): MutableFieldSet => ({ owned: false, children: new Map() })

/** The root has no owner, so an empty path is ignored. */
export const insertPath = (set: MutableFieldSet, path: FieldPath): void => {
  if (path.length === 0) return
  let node = set
  for (const element of path) {
    let child = node.children.get(element)
    if (child === undefined) {
      child = newFieldSet()
      node.children.set(element, child)
    }
    node = child
  }
  node.owned = true
}

export const fieldSetOf = (...paths: ReadonlyArray<FieldPath>): FieldSet => {
  const set = newFieldSet()
  for (const path of paths) insertPath(set, path)
  return set
}

export const fieldPath = (...names: ReadonlyArray<string>): FieldPath => names.map((name) => `f:${name}`)

export const hasPath = (set: FieldSet, path: FieldPath): boolean => {
  let node: FieldSet | undefined = set
  for (const element of path) node = node?.children.get(element)
  return node?.owned ?? false
}

/** Returns the first set itself if the second adds nothing. */
export const fieldSetUnion = (a: FieldSet, b: FieldSet): FieldSet => {
  let children: Map<PathElement, FieldSet> | undefined
  for (const [element, child] of b.children) {
    const before = a.children.get(element)
    const after = before === undefined ? child : fieldSetUnion(before, child)
    if (after === before) continue
    children ??= new Map(a.children)
    children.set(element, after)
  }
  const owned = a.owned || b.owned
  return children === undefined && owned === a.owned ? a : { owned, children: children ?? a.children }
}

/** Returns the first set itself if the two share nothing. */
export const fieldSetDifference = (a: FieldSet, b: FieldSet): FieldSet =>
  subtract(a, b, (child, other) => fieldSetDifference(child, other))

export const withoutSubtrees = (a: FieldSet, roots: FieldSet): FieldSet =>
  subtract(a, roots, (child, other) => (other.owned ? emptyFieldSet : withoutSubtrees(child, other)))

const subtract = (
  a: FieldSet,
  b: FieldSet,
  subtractChild: (child: FieldSet, other: FieldSet) => FieldSet
): FieldSet => {
  const owned = a.owned && !b.owned
  let children: Map<PathElement, FieldSet> | undefined
  for (const [element, other] of b.children) {
    const child = a.children.get(element)
    if (child === undefined) continue
    const remaining = subtractChild(child, other)
    if (remaining === child) continue
    children ??= new Map(a.children)
    if (isEmptyFieldSet(remaining)) children.delete(element)
    else children.set(element, remaining)
  }
  return children === undefined && owned === a.owned ? a : { owned, children: children ?? a.children }
}

export const fieldSetIntersection = (a: FieldSet, b: FieldSet): FieldSet => {
  const children = new Map<PathElement, FieldSet>()
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    const shared = other === undefined ? emptyFieldSet : fieldSetIntersection(child, other)
    if (!isEmptyFieldSet(shared)) children.set(element, shared)
  }
  return { owned: a.owned && b.owned, children }
}

export const isSameFieldSet = (a: FieldSet, b: FieldSet): boolean => {
  if (a === b) return true
  if (a.owned !== b.owned || a.children.size !== b.children.size) return false
  for (const [element, child] of a.children) {
    const other = b.children.get(element)
    if (other === undefined || !isSameFieldSet(child, other)) return false
  }
  return true
}
