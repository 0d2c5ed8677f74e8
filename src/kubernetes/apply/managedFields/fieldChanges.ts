import { emptyFieldSet, isEmptyFieldSet, type FieldSet, type PathElement } from "./fieldSet.ts"

/**
 * The differences between two values. Equal changes share one object, so that `fieldsV1` is encoded
 * once.
 */
export interface FieldChanges {
  readonly changed: FieldSet
  readonly removed: FieldSet
  /** Whether other objects may have equal changes. */
  readonly isCacheable: boolean
}

/** The change of a value apart from its parts. */
export type OwnChange = "none" | "changed" | "removed"

const valueItself: FieldSet = { owned: true, children: new Map() }

export const noChanges: FieldChanges = { changed: emptyFieldSet, removed: emptyFieldSet, isCacheable: true }

const changesOfLeaf: Readonly<Record<OwnChange, FieldChanges>> = {
  none: noChanges,
  changed: { changed: valueItself, removed: emptyFieldSet, isCacheable: true },
  removed: { changed: emptyFieldSet, removed: valueItself, isCacheable: true }
}

export const leafChanges = (ownChange: OwnChange): FieldChanges => changesOfLeaf[ownChange]

interface PartChanges {
  readonly changedElements: ReadonlyArray<PathElement>
  readonly changesOfElements: ReadonlyArray<FieldChanges>
  /** False for lists whose keys no other object has, such as a Pod's IP. */
  readonly isCacheable: boolean
}

export const combineChanges = (ownChange: OwnChange, partChanges: PartChanges): FieldChanges => {
  if (partChanges.changedElements.length === 0) return leafChanges(ownChange)
  return partChanges.isCacheable ? internChanges(ownChange, partChanges) : newChanges(ownChange, partChanges)
}

const newChanges = (
  ownChange: OwnChange,
  { changedElements, changesOfElements, isCacheable }: PartChanges
): FieldChanges => ({
  changed: fieldSetOfParts(ownChange === "changed", changedElements, changesOfElements, "changed"),
  removed: fieldSetOfParts(ownChange === "removed", changedElements, changesOfElements, "removed"),
  isCacheable
})

const fieldSetOfParts = (
  owned: boolean,
  changedElements: ReadonlyArray<PathElement>,
  changesOfElements: ReadonlyArray<FieldChanges>,
  changeType: "changed" | "removed"
): FieldSet => {
  let children: Map<PathElement, FieldSet> | undefined
  for (const [index, part] of changesOfElements.entries()) {
    const element = changedElements[index]
    if (element === undefined || isEmptyFieldSet(part[changeType])) continue
    children ??= new Map()
    children.set(element, part[changeType])
  }
  if (children === undefined) return owned ? valueItself : emptyFieldSet
  return { owned, children }
}

/**
 * A node of the tree that finds equal changes: `next` leads from the changes of some elements to
 * those of one more.
 */
interface TreeNode {
  /** The changes of the elements from the root to this node. */
  changes: FieldChanges | undefined
  readonly next: Map<PathElement, Map<FieldChanges, TreeNode>>
}

/** The tree is cleared beyond this number of nodes; a usual cluster needs a few hundred. */
export const changeTreeNodesMax = 20_000

let nodeCount = 0
const roots = new Map<OwnChange, TreeNode>()

const internChanges = (ownChange: OwnChange, partChanges: PartChanges): FieldChanges => {
  if (nodeCount > changeTreeNodesMax) {
    roots.clear()
    nodeCount = 0
  }
  let node = roots.get(ownChange)
  if (node === undefined) {
    node = { changes: undefined, next: new Map() }
    roots.set(ownChange, node)
  }
  const { changedElements, changesOfElements } = partChanges
  for (const [index, part] of changesOfElements.entries())
    node = nextNode(node, changedElements[index] ?? "", part)
  return (node.changes ??= newChanges(ownChange, partChanges))
}

const nextNode = (node: TreeNode, element: PathElement, part: FieldChanges): TreeNode => {
  let byPart = node.next.get(element)
  if (byPart === undefined) {
    byPart = new Map()
    node.next.set(element, byPart)
  }
  let next = byPart.get(part)
  if (next === undefined) {
    next = { changes: undefined, next: new Map() }
    byPart.set(part, next)
    nodeCount += 1
  }
  return next
}
