import type { AnyStateNode, StateValue } from "xstate"

export const isAtomic = ({ type }: AnyStateNode): boolean => type === "atomic" || type === "final"

export const isHistory = ({ type }: AnyStateNode): boolean => type === "history"

export const childStates = (node: AnyStateNode): ReadonlyArray<AnyStateNode> =>
  Object.values(node.states as Readonly<Record<string, AnyStateNode>>).filter((child) => !isHistory(child))

export const historyStates = (node: AnyStateNode): ReadonlyArray<AnyStateNode> =>
  Object.values(node.states as Readonly<Record<string, AnyStateNode>>).filter(isHistory)

export const selfAndDescendants = (node: AnyStateNode): ReadonlyArray<AnyStateNode> => [
  node,
  ...Object.values(node.states as Readonly<Record<string, AnyStateNode>>).flatMap(selfAndDescendants)
]

export const initialChild = (node: AnyStateNode): AnyStateNode | undefined =>
  node.initial.target[0] as AnyStateNode | undefined

/** The ancestors from the parent upwards, without `end`. */
export const ancestorsUpTo = (
  node: AnyStateNode,
  end: AnyStateNode | undefined
): ReadonlyArray<AnyStateNode> => {
  const ancestors: Array<AnyStateNode> = []
  if (node === end) return ancestors
  for (let above = node.parent; above !== undefined && above !== end; above = above.parent) {
    ancestors.push(above)
  }
  return ancestors
}

export const ancestorsOf = (node: AnyStateNode): ReadonlyArray<AnyStateNode> => ancestorsUpTo(node, undefined)

/** Every state is below `undefined`, the root as well. */
export const isBelow = (node: AnyStateNode, ancestor: AnyStateNode | undefined): boolean => {
  if (ancestor === undefined) return true
  for (let above = node.parent; above !== undefined; above = above.parent) {
    if (above === ancestor) return true
  }
  return false
}

export const isDone = (node: AnyStateNode, active: ReadonlySet<AnyStateNode>): boolean => {
  if (node.type === "compound")
    return childStates(node).some((child) => child.type === "final" && active.has(child))
  if (node.type === "parallel") return childStates(node).every((child) => isDone(child, active))
  return node.type === "final"
}

/** The keys of regions are in the order of `active`. */
export const valueOf = (root: AnyStateNode, active: ReadonlyArray<AnyStateNode>): StateValue => {
  const activeChildren = Map.groupBy(withInitialStates(active), ({ parent }) => parent)
  const valueBelow = (node: AnyStateNode): StateValue => {
    const children = activeChildren.get(node) ?? []
    const [first] = children
    if (node.type === "compound" && first !== undefined && isAtomic(first)) return first.key
    return Object.freeze(Object.fromEntries(children.map((child) => [child.key, valueBelow(child)])))
  }
  return valueBelow(root)
}

/** The active states level by level; where the value names none, the initial states. */
export const statesOfValue = (root: AnyStateNode, value: StateValue): ReadonlyArray<AnyStateNode> => {
  const active = new Set([root])
  addNamedStates(root, value, active)
  return [...withInitialStates(active)]
}

const withInitialStates = (states: Iterable<AnyStateNode>): ReadonlySet<AnyStateNode> => {
  const active = new Set(states)
  const withActiveChild = new Set([...active].map(({ parent }) => parent))
  for (const node of active) {
    if (node.type === "compound" && !withActiveChild.has(node)) addInitialStates(node, active)
    if (node.type !== "parallel") continue
    for (const region of childStates(node)) if (!active.has(region)) addInitialStates(region, active)
  }
  // By a transition to a history state XState can enter a state without its parent.
  for (const node of active) if (node.parent !== undefined) active.add(node.parent)
  return active
}

const addNamedStates = (node: AnyStateNode, value: StateValue, active: Set<AnyStateNode>): void => {
  const states = node.states as Readonly<Record<string, AnyStateNode>>
  if (typeof value === "string") {
    const child = states[value]
    if (child === undefined) throw new Error(`State '${value}' does not exist on '${node.id}'`)
    active.add(node).add(child)
    return
  }
  const children = Object.entries(value).map(([key, below]) => {
    const child = states[key]
    if (child === undefined) throw new Error(`Child state '${key}' does not exist on '${node.id}'`)
    return { child, below }
  })
  active.add(node)
  for (const { child } of children) active.add(child)
  for (const { child, below } of children) addNamedStates(child, below ?? {}, active)
}

export const addInitialStates = (node: AnyStateNode, active: Set<AnyStateNode>): void => {
  active.add(node)
  if (node.type === "parallel") for (const region of childStates(node)) addInitialStates(region, active)
  const initial = node.type === "compound" ? initialChild(node) : undefined
  if (initial !== undefined) addInitialStates(initial, active)
}
