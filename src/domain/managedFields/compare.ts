import { isFields, type Fields } from "../fields.ts"
import { dequal } from "dequal/lite"
import { changesBelow, changesOf, noChanges, type Changes, type OwnChange } from "./changes.ts"
import {
  growingSet,
  insert,
  type FieldPath,
  type FieldSet,
  type GrowingSet,
  type PathElement
} from "./fieldSet.ts"
import { isIdentifiedByKey, partsOf, partsOfList } from "./parts.ts"
import { fieldElement } from "./pathElements.ts"
import { fieldShape, partShape, type Shape } from "./topology.ts"

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

/** What differs between two values of a shape. A part that both share is not looked into. */
export const changesBetween = (shape: Shape, before: unknown, after: unknown): Changes =>
  before === after ? noChanges : compareParts(shape, before, after, "none")

const compare = (shape: Shape, before: unknown, after: unknown): Changes => {
  if (before === after) return noChanges
  const isWhole = !isDivided(shape, before) || !isDivided(shape, after)
  return compareParts(shape, before, after, isWhole ? wholeChange(before, after) : "none")
}

/** `own` is the change of the place itself; of the whole object, which has no owner, it is none. */
const compareParts = (shape: Shape, before: unknown, after: unknown, own: OwnChange): Changes => {
  const compared: Compared = { shape, elements: [], parts: [], areShared: true }
  const was = isDivided(shape, before)
  const is = isDivided(shape, after)
  if (!was && !is) return changesOf(own)
  if (isListed(shape)) {
    compareLists(compared, was ? (before as List) : none, is ? (after as List) : none)
  } else {
    compareFields(compared, {
      old: was ? (before as Fields) : empty,
      now: is ? (after as Fields) : empty,
      isThere: { before: before !== undefined, after: after !== undefined }
    })
  }
  return changesBelow(own, compared)
}

type List = ReadonlyArray<unknown>

const isListed = ({ type }: Shape): boolean => type === "listMap" || type === "set"

/** Whether the parts of a value can have owners of their own. */
const isDivided = (shape: Shape, value: unknown): boolean =>
  shape.type !== "atomic" && (isListed(shape) ? Array.isArray(value) : isFields(value))

/** The places below a value at which something differs. */
interface Compared {
  readonly shape: Shape
  readonly elements: Array<PathElement>
  readonly parts: Array<Changes>
  /** Whether other objects may be changed at the same places. */
  areShared: boolean
}

const add = (compared: Compared, element: PathElement, part: Changes): void => {
  if (part === noChanges) return
  compared.elements.push(element)
  compared.parts.push(part)
  if (!part.isShared) compared.areShared = false
}

interface ComparedFields {
  readonly old: Fields
  readonly now: Fields
  /** Whether the struct is there in either version: then a field that is left out of it may count as empty. */
  readonly isThere: { readonly before: boolean; readonly after: boolean }
}

const compareFields = (compared: Compared, { old, now, isThere }: ComparedFields): void => {
  const { shape } = compared
  const compareField = (name: string, before: unknown, after: unknown): void => {
    if (before === after) return
    if (isScalar(after) && !isObject(before)) return add(compared, fieldElement(name), changesOf("changed"))
    const part = fieldShape(shape, name)
    const absent = valueOfAbsent(shape, name, part)
    // A field that is null is there, as a condition's lastProbeTime.
    const was = before === undefined && isThere.before ? absent : before
    const is = after === undefined && isThere.after ? absent : after
    add(compared, fieldElement(name), compare(part, was, is))
  }
  for (const name of Object.keys(now)) {
    compareField(name, Object.hasOwn(old, name) ? old[name] : undefined, now[name])
  }
  if (old === empty) return
  for (const name of Object.keys(old)) if (!Object.hasOwn(now, name)) compareField(name, old[name], undefined)
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null
const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== "object"

/** What a field that is left out counts as in a struct that is there. */
const valueOfAbsent = (shape: Shape, name: string, part: Shape): unknown => {
  if (shape.type !== "struct" || !shape.alwaysThere.has(name)) return undefined
  if (part.type === "atomic") return undefined
  return part.type === "listMap" ? none : empty
}

const none: ReadonlyArray<unknown> = []
const empty: Fields = {}

const compareLists = (compared: Compared, old: List, now: List): void => {
  const { shape } = compared
  const [was, is] = [partsOfList(shape, old), partsOfList(shape, now)]
  const compareElement = (element: PathElement, before: List, after: List): void => {
    const isOne = before.length <= 1 && after.length <= 1
    const part = isOne
      ? compare(partShape(shape, element).shape, before[0], after[0])
      : changesOf(wholeChange(wholeOf(before), wholeOf(after)))
    add(compared, element, part)
  }
  for (const [element, values] of is) compareElement(element, was.get(element) ?? none, values)
  for (const [element, values] of was) if (!is.has(element)) compareElement(element, values, none)
  if (isIdentifiedByKey(shape)) compared.areShared = false
}

/** Elements with one key have one owner. */
const wholeOf = (values: List): List | undefined => (values.length === 0 ? undefined : values)

const wholeChange = (before: unknown, after: unknown): OwnChange =>
  after === undefined ? "removed" : dequal(before, after) ? "none" : "changed"
