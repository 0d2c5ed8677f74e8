import { isFields, type Fields } from "../../meta/fields.ts"
import { dequal } from "dequal/lite"
import { combineChanges, leafChanges, noChanges, type FieldChanges, type OwnChange } from "./fieldChanges.ts"
import {
  newFieldSet,
  insertPath,
  type FieldPath,
  type FieldSet,
  type MutableFieldSet,
  type PathElement
} from "./fieldSet.ts"
import { hasUniqueKeys, ownableParts, listParts } from "./ownableParts.ts"
import { fieldElement } from "./pathElements.ts"
import { fieldTopology, partTopology, type Topology } from "./topology.ts"

/** Source: sigs.k8s.io/structured-merge-diff/typed (tofieldset.go, compare.go). */

/** The fields that a configuration sets: a struct's fields, not the struct itself. */
export const configuredFields = (topology: Topology, value: unknown): FieldSet => {
  const set = newFieldSet()
  collect(topology, value, [], set)
  return set
}

const collect = (topology: Topology, value: unknown, path: FieldPath, set: MutableFieldSet): void => {
  const parts = ownableParts(topology, value)
  if (parts === undefined) return insertPath(set, path)
  for (const [element, values] of parts) {
    const part = partTopology(topology, element)
    const elementPath = [...path, element]
    const [first] = values
    if (values.length === 1) collect(part.topology, first, elementPath, set)
    if (!part.named || isEmptyMap(first)) insertPath(set, elementPath)
  }
}

const isEmptyMap = (value: unknown): boolean => isFields(value) && Object.keys(value).length === 0

/** Compares two versions of an object. Parts with the same reference are skipped. */
export const compareFields = (topology: Topology, before: unknown, after: unknown): FieldChanges =>
  before === after ? noChanges : compareParts(topology, before, after, "none")

const compare = (topology: Topology, before: unknown, after: unknown): FieldChanges => {
  if (before === after) return noChanges
  const isOwnedWhole = !hasParts(topology, before) || !hasParts(topology, after)
  return compareParts(topology, before, after, isOwnedWhole ? wholeChange(before, after) : "none")
}

/** `own`: the change of the value itself, apart from its parts. The whole object has none, since it has no owner. */
const compareParts = (topology: Topology, before: unknown, after: unknown, own: OwnChange): FieldChanges => {
  const compared: Comparison = { topology, elements: [], parts: [], areShared: true }
  const oldHasParts = hasParts(topology, before)
  const newHasParts = hasParts(topology, after)
  if (!oldHasParts && !newHasParts) return leafChanges(own)
  if (isKeyedList(topology)) {
    compareLists(
      compared,
      oldHasParts ? (before as List) : emptyList,
      newHasParts ? (after as List) : emptyList
    )
  } else {
    compareStructs(compared, {
      oldFields: oldHasParts ? (before as Fields) : emptyStruct,
      newFields: newHasParts ? (after as Fields) : emptyStruct,
      exists: { before: before !== undefined, after: after !== undefined }
    })
  }
  return combineChanges(own, compared)
}

type List = ReadonlyArray<unknown>

const isKeyedList = ({ type }: Topology): boolean => type === "listMap" || type === "set"

/** Whether parts of the value can have owners of their own. */
const hasParts = (topology: Topology, value: unknown): boolean =>
  topology.type !== "atomic" && (isKeyedList(topology) ? Array.isArray(value) : isFields(value))

/** Collects the changes of a value's parts. */
interface Comparison {
  readonly topology: Topology
  readonly elements: Array<PathElement>
  readonly parts: Array<FieldChanges>
  /** Whether other objects may change the same parts, so that equal changes are one object. */
  areShared: boolean
}

const add = (compared: Comparison, element: PathElement, part: FieldChanges): void => {
  if (part === noChanges) return
  compared.elements.push(element)
  compared.parts.push(part)
  if (!part.isShared) compared.areShared = false
}

interface ComparedFields {
  readonly oldFields: Fields
  readonly newFields: Fields
  /** Whether the struct exists in each version: an omitted field of an existing struct may count as empty. */
  readonly exists: { readonly before: boolean; readonly after: boolean }
}

const compareStructs = (compared: Comparison, { oldFields, newFields, exists }: ComparedFields): void => {
  const { topology } = compared
  const compareField = (name: string, before: unknown, after: unknown): void => {
    if (before === after) return
    if (isScalar(after) && !isObject(before)) return add(compared, fieldElement(name), leafChanges("changed"))
    const part = fieldTopology(topology, name)
    const omitted = omittedValue(topology, name, part)
    // A null field is present, for example a condition's lastProbeTime.
    const oldValue = before === undefined && exists.before ? omitted : before
    const newValue = after === undefined && exists.after ? omitted : after
    add(compared, fieldElement(name), compare(part, oldValue, newValue))
  }
  for (const name of Object.keys(newFields)) {
    compareField(name, Object.hasOwn(oldFields, name) ? oldFields[name] : undefined, newFields[name])
  }
  if (oldFields === emptyStruct) return
  for (const name of Object.keys(oldFields))
    if (!Object.hasOwn(newFields, name)) compareField(name, oldFields[name], undefined)
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null
const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== "object"

/** The value that an omitted field of an existing struct counts as. */
const omittedValue = (topology: Topology, name: string, part: Topology): unknown => {
  if (topology.type !== "struct" || !topology.alwaysPresent.has(name)) return undefined
  if (part.type === "atomic") return undefined
  return part.type === "listMap" ? emptyList : emptyStruct
}

const emptyList: ReadonlyArray<unknown> = []
const emptyStruct: Fields = {}

const compareLists = (compared: Comparison, oldList: List, newList: List): void => {
  const { topology } = compared
  const [oldParts, newParts] = [listParts(topology, oldList), listParts(topology, newList)]
  const compareElement = (element: PathElement, before: List, after: List): void => {
    const isKeyUnique = before.length <= 1 && after.length <= 1
    const part = isKeyUnique
      ? compare(partTopology(topology, element).topology, before[0], after[0])
      : leafChanges(wholeChange(wholeOf(before), wholeOf(after)))
    add(compared, element, part)
  }
  for (const [element, values] of newParts)
    compareElement(element, oldParts.get(element) ?? emptyList, values)
  for (const [element, values] of oldParts)
    if (!newParts.has(element)) compareElement(element, values, emptyList)
  if (hasUniqueKeys(topology)) compared.areShared = false
}

/** The elements of one key as a value; undefined if there are none. */
const wholeOf = (values: List): List | undefined => (values.length === 0 ? undefined : values)

const wholeChange = (before: unknown, after: unknown): OwnChange =>
  after === undefined ? "removed" : dequal(before, after) ? "none" : "changed"
