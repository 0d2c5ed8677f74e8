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

/** Source: sigs.k8s.io/structured-merge-diff/typed (tofieldset.go, compare.go). */

/** The fields that a configuration sets: a struct's fields, not the struct itself. */
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

/** Compares two values. Parts with the same reference are skipped. */
export const changesBetween = (shape: Shape, before: unknown, after: unknown): Changes =>
  before === after ? noChanges : compareParts(shape, before, after, "none")

const compare = (shape: Shape, before: unknown, after: unknown): Changes => {
  if (before === after) return noChanges
  const isWhole = !hasParts(shape, before) || !hasParts(shape, after)
  return compareParts(shape, before, after, isWhole ? wholeChange(before, after) : "none")
}

/** `own` is the change of the place itself; the whole object has none, because it has no owner. */
const compareParts = (shape: Shape, before: unknown, after: unknown, own: OwnChange): Changes => {
  const compared: Comparison = { shape, elements: [], parts: [], areShared: true }
  const oldHasParts = hasParts(shape, before)
  const newHasParts = hasParts(shape, after)
  if (!oldHasParts && !newHasParts) return changesOf(own)
  if (isKeyedList(shape)) {
    compareLists(
      compared,
      oldHasParts ? (before as List) : emptyList,
      newHasParts ? (after as List) : emptyList
    )
  } else {
    compareStructs(compared, {
      old: oldHasParts ? (before as Fields) : emptyStruct,
      now: newHasParts ? (after as Fields) : emptyStruct,
      exists: { before: before !== undefined, after: after !== undefined }
    })
  }
  return changesBelow(own, compared)
}

type List = ReadonlyArray<unknown>

const isKeyedList = ({ type }: Shape): boolean => type === "listMap" || type === "set"

/** Whether parts of the value can have owners of their own. */
const hasParts = (shape: Shape, value: unknown): boolean =>
  shape.type !== "atomic" && (isKeyedList(shape) ? Array.isArray(value) : isFields(value))

interface Comparison {
  readonly shape: Shape
  readonly elements: Array<PathElement>
  readonly parts: Array<Changes>
  areShared: boolean
}

const add = (compared: Comparison, element: PathElement, part: Changes): void => {
  if (part === noChanges) return
  compared.elements.push(element)
  compared.parts.push(part)
  if (!part.isShared) compared.areShared = false
}

interface ComparedFields {
  readonly old: Fields
  readonly now: Fields
  /** Whether the struct exists in each version: an omitted field of an existing struct may count as empty. */
  readonly exists: { readonly before: boolean; readonly after: boolean }
}

const compareStructs = (compared: Comparison, { old, now, exists }: ComparedFields): void => {
  const { shape } = compared
  const compareField = (name: string, before: unknown, after: unknown): void => {
    if (before === after) return
    if (isScalar(after) && !isObject(before)) return add(compared, fieldElement(name), changesOf("changed"))
    const part = fieldShape(shape, name)
    const omitted = omittedValue(shape, name, part)
    // A null field is present, for example a condition's lastProbeTime.
    const oldValue = before === undefined && exists.before ? omitted : before
    const newValue = after === undefined && exists.after ? omitted : after
    add(compared, fieldElement(name), compare(part, oldValue, newValue))
  }
  for (const name of Object.keys(now)) {
    compareField(name, Object.hasOwn(old, name) ? old[name] : undefined, now[name])
  }
  if (old === emptyStruct) return
  for (const name of Object.keys(old)) if (!Object.hasOwn(now, name)) compareField(name, old[name], undefined)
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null
const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== "object"

/** The value that an omitted field of an existing struct counts as. */
const omittedValue = (shape: Shape, name: string, part: Shape): unknown => {
  if (shape.type !== "struct" || !shape.alwaysThere.has(name)) return undefined
  if (part.type === "atomic") return undefined
  return part.type === "listMap" ? emptyList : emptyStruct
}

const emptyList: ReadonlyArray<unknown> = []
const emptyStruct: Fields = {}

const compareLists = (compared: Comparison, old: List, now: List): void => {
  const { shape } = compared
  const [oldParts, newParts] = [partsOfList(shape, old), partsOfList(shape, now)]
  const compareElement = (element: PathElement, before: List, after: List): void => {
    const isOne = before.length <= 1 && after.length <= 1
    const part = isOne
      ? compare(partShape(shape, element).shape, before[0], after[0])
      : changesOf(wholeChange(wholeOf(before), wholeOf(after)))
    add(compared, element, part)
  }
  for (const [element, values] of newParts)
    compareElement(element, oldParts.get(element) ?? emptyList, values)
  for (const [element, values] of oldParts)
    if (!newParts.has(element)) compareElement(element, values, emptyList)
  if (isIdentifiedByKey(shape)) compared.areShared = false
}

const wholeOf = (values: List): List | undefined => (values.length === 0 ? undefined : values)

const wholeChange = (before: unknown, after: unknown): OwnChange =>
  after === undefined ? "removed" : dequal(before, after) ? "none" : "changed"
