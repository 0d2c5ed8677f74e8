import { isEmpty, type FieldSet, type PathElement } from "./fieldSet.ts"

/**
 * What differs between two values, and at which of their parts.
 *
 * Objects that live alike change at the same places: the status of one Pod as that of another. Equal changes are
 * therefore one object wherever they can be, and what is made of them (`fieldsV1`, its text) is made once.
 */
export interface Changes {
  /** What is new or has another value. */
  readonly changed: FieldSet
  readonly removed: FieldSet
  /** Whether equal changes are this very object. */
  readonly isShared: boolean
}

/** What happens to a place itself, other than to what is below it. */
export type OwnChange = "none" | "changed" | "removed"

const nowhere: FieldSet = { owned: false, children: new Map() }
const here: FieldSet = { owned: true, children: new Map() }

/** Of two equal values. */
export const noChanges: Changes = { changed: nowhere, removed: nowhere, isShared: true }

const changes: Readonly<Record<OwnChange, Changes>> = {
  none: noChanges,
  changed: { changed: here, removed: nowhere, isShared: true },
  removed: { changed: nowhere, removed: here, isShared: true }
}

/** The changes of a value that has no parts. */
export const changesOf = (own: OwnChange): Changes => changes[own]

interface Below {
  readonly elements: ReadonlyArray<PathElement>
  /** The changes at each of the elements. */
  readonly parts: ReadonlyArray<Changes>
  /** Whether other objects may be changed at the same places: a list with the address of a Pod is not shared. */
  readonly areShared: boolean
}

/** The changes of a value with parts. */
export const changesBelow = (own: OwnChange, below: Below): Changes => {
  if (below.elements.length === 0) return changesOf(own)
  return below.areShared ? sharedBelow(own, below) : made(own, below)
}

const made = (own: OwnChange, { elements, parts, areShared }: Below): Changes => ({
  changed: setOf(own === "changed", elements, parts, "changed"),
  removed: setOf(own === "removed", elements, parts, "removed"),
  isShared: areShared
})

const setOf = (
  owned: boolean,
  elements: ReadonlyArray<PathElement>,
  parts: ReadonlyArray<Changes>,
  which: "changed" | "removed"
): FieldSet => {
  let children: Map<PathElement, FieldSet> | undefined
  for (const [place, part] of parts.entries()) {
    const element = elements[place]
    if (element === undefined || isEmpty(part[which])) continue
    children ??= new Map()
    children.set(element, part[which])
  }
  if (children === undefined) return owned ? here : nowhere
  return { owned, children }
}

/** The steps of a tree by which shared changes are found: from the changes at some elements to those at one more. */
interface Step {
  changes: Changes | undefined
  readonly next: Map<PathElement, Map<Changes, Step>>
}

/** The tree is emptied rather than grown beyond so many steps. An ordinary world takes a few hundred. */
export const stepsMax = 20_000

let steps = 0
const firstSteps = new Map<OwnChange, Step>()

const sharedBelow = (own: OwnChange, below: Below): Changes => {
  if (steps > stepsMax) {
    firstSteps.clear()
    steps = 0
  }
  let step = firstSteps.get(own)
  if (step === undefined) {
    step = { changes: undefined, next: new Map() }
    firstSteps.set(own, step)
  }
  const { elements, parts } = below
  for (const [place, part] of parts.entries()) step = stepAfter(step, elements[place] ?? "", part)
  return (step.changes ??= made(own, below))
}

const stepAfter = (step: Step, element: PathElement, part: Changes): Step => {
  let byPart = step.next.get(element)
  if (byPart === undefined) {
    byPart = new Map()
    step.next.set(element, byPart)
  }
  let next = byPart.get(part)
  if (next === undefined) {
    next = { changes: undefined, next: new Map() }
    byPart.set(part, next)
    steps += 1
  }
  return next
}
