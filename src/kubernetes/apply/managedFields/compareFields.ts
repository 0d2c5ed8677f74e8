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
import { hasObjectSpecificKeys, ownableParts, listParts } from "./ownableParts.ts"
import { fieldElement } from "./pathElements.ts"
import { fieldTopology, partTopology, type OwnershipTopology } from "./ownershipTopology.ts"

/** Source: sigs.k8s.io/structured-merge-diff/typed (tofieldset.go, compare.go). */

/** The fields that `value` sets: the fields of a struct, not the struct itself. */
export const configuredFields = (topology: OwnershipTopology, value: unknown): FieldSet => {
  const set = newFieldSet()
  collectConfigured(topology, value, [], set)
  return set
}

const collectConfigured = (
  topology: OwnershipTopology,
  value: unknown,
  path: FieldPath,
  set: MutableFieldSet
): void => {
  const parts = ownableParts(topology, value)
  if (parts === undefined) return insertPath(set, path)
  for (const [element, values] of parts) {
    const part = partTopology(topology, element)
    const elementPath = [...path, element]
    const [first] = values
    if (values.length === 1) collectConfigured(part.topology, first, elementPath, set)
    // A declared field is owned through its parts, but an empty map has none.
    if (!part.isDeclaredField || isEmptyMap(first)) insertPath(set, elementPath)
  }
}

const isEmptyMap = (value: unknown): boolean => isFields(value) && Object.keys(value).length === 0

/** Parts that are one object on both sides are unchanged. */
export const compareFields = (topology: OwnershipTopology, before: unknown, after: unknown): FieldChanges =>
  before === after ? noChanges : compareParts(topology, before, after, "none")

const compareWithOwnChange = (topology: OwnershipTopology, before: unknown, after: unknown): FieldChanges => {
  if (before === after) return noChanges
  const isOwnedAsWhole = !hasParts(topology, before) || !hasParts(topology, after)
  return compareParts(topology, before, after, isOwnedAsWhole ? changeAsWhole(before, after) : "none")
}

/** `ownChange`: the change of the value apart from its parts; the root of an object has none. */
const compareParts = (
  topology: OwnershipTopology,
  before: unknown,
  after: unknown,
  ownChange: OwnChange
): FieldChanges => {
  const comparison: Comparison = { topology, changedElements: [], changesOfElements: [], isCacheable: true }
  if (!hasParts(topology, before) && !hasParts(topology, after)) return leafChanges(ownChange)
  if (isKeyedList(topology)) {
    compareLists(comparison, listOrEmpty(before), listOrEmpty(after))
  } else {
    compareStructs(comparison, comparedFields(topology, before, after))
  }
  return combineChanges(ownChange, comparison)
}

/** Cheaper than `compareFields`, because it stops at the first changed field. */
export const hasChangedFields = (topology: OwnershipTopology, before: unknown, after: unknown): boolean =>
  before !== after && hasChangedParts(topology, before, after)

const isChanged = (topology: OwnershipTopology, before: unknown, after: unknown): boolean => {
  if (before === after) return false
  const isOwnedAsWhole = !hasParts(topology, before) || !hasParts(topology, after)
  const isOwnChanged = isOwnedAsWhole && changeAsWhole(before, after) === "changed"
  return isOwnChanged || hasChangedParts(topology, before, after)
}

const hasChangedParts = (topology: OwnershipTopology, before: unknown, after: unknown): boolean => {
  if (!isKeyedList(topology)) {
    const fields = comparedFields(topology, before, after)
    return someDifferingField(fields, (name, oldField, newField) => {
      if (isScalar(newField) && !isObject(oldField)) return true
      const part = fieldPart(topology, fields, name, oldField, newField)
      return isChanged(part.topology, part.before, part.after)
    })
  }
  return someElement(topology, listOrEmpty(before), listOrEmpty(after), (element, oldValues, newValues) =>
    isKeyUnique(oldValues, newValues)
      ? isChanged(partTopology(topology, element).topology, oldValues[0], newValues[0])
      : changeAsWhole(listOrUndefined(oldValues), listOrUndefined(newValues)) === "changed"
  )
}

const comparedFields = (topology: OwnershipTopology, before: unknown, after: unknown): ComparedFields => ({
  oldFields: hasParts(topology, before) ? (before as Fields) : emptyStruct,
  newFields: hasParts(topology, after) ? (after as Fields) : emptyStruct,
  exists: { before: before !== undefined, after: after !== undefined }
})

type List = ReadonlyArray<unknown>

const listOrEmpty = (value: unknown): List => (Array.isArray(value) ? value : emptyList)

const isKeyedList = ({ type }: OwnershipTopology): boolean => type === "listMap" || type === "set"

const hasParts = (topology: OwnershipTopology, value: unknown): boolean =>
  topology.type !== "atomic" && (isKeyedList(topology) ? Array.isArray(value) : isFields(value))

interface Comparison {
  readonly topology: OwnershipTopology
  readonly changedElements: Array<PathElement>
  readonly changesOfElements: Array<FieldChanges>
  /** Whether other objects may have equal changes. */
  isCacheable: boolean
}

const addPartChanges = (comparison: Comparison, element: PathElement, part: FieldChanges): void => {
  if (part === noChanges) return
  comparison.changedElements.push(element)
  comparison.changesOfElements.push(part)
  if (!part.isCacheable) comparison.isCacheable = false
}

interface ComparedFields {
  readonly oldFields: Fields
  readonly newFields: Fields
  /** An omitted field of an existing struct may count as empty. */
  readonly exists: { readonly before: boolean; readonly after: boolean }
}

const compareStructs = (comparison: Comparison, fields: ComparedFields): void => {
  const { topology } = comparison
  someDifferingField(fields, (name, before, after) => {
    if (isScalar(after) && !isObject(before))
      addPartChanges(comparison, fieldElement(name), leafChanges("changed"))
    else {
      const part = fieldPart(topology, fields, name, before, after)
      addPartChanges(
        comparison,
        fieldElement(name),
        compareWithOwnChange(part.topology, part.before, part.after)
      )
    }
    return false
  })
}

const someDifferingField = (
  { oldFields, newFields }: ComparedFields,
  test: (name: string, before: unknown, after: unknown) => boolean
): boolean => {
  for (const name of Object.keys(newFields)) {
    const before = Object.hasOwn(oldFields, name) ? oldFields[name] : undefined
    if (before !== newFields[name] && test(name, before, newFields[name])) return true
  }
  if (oldFields === emptyStruct) return false
  for (const name of Object.keys(oldFields)) {
    const isRemoved = oldFields[name] !== undefined && !Object.hasOwn(newFields, name)
    if (isRemoved && test(name, oldFields[name], undefined)) return true
  }
  return false
}

const fieldPart = (
  struct: OwnershipTopology,
  { exists }: ComparedFields,
  name: string,
  before: unknown,
  after: unknown
): { readonly topology: OwnershipTopology; readonly before: unknown; readonly after: unknown } => {
  const topology = fieldTopology(struct, name)
  const omitted = omittedValue(struct, name, topology)
  // A null field is present, for example a condition's lastProbeTime.
  return {
    topology,
    before: before === undefined && exists.before ? omitted : before,
    after: after === undefined && exists.after ? omitted : after
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null
const isScalar = (value: unknown): boolean => value !== undefined && typeof value !== "object"

const omittedValue = (topology: OwnershipTopology, name: string, part: OwnershipTopology): unknown => {
  if (topology.type !== "struct" || !topology.alwaysPresent.has(name)) return undefined
  if (part.type === "atomic") return undefined
  return part.type === "listMap" ? emptyList : emptyStruct
}

const emptyList: ReadonlyArray<unknown> = []
const emptyStruct: Fields = {}

const compareLists = (comparison: Comparison, oldList: List, newList: List): void => {
  const { topology } = comparison
  someElement(topology, oldList, newList, (element, before, after) => {
    const part = isKeyUnique(before, after)
      ? compareWithOwnChange(partTopology(topology, element).topology, before[0], after[0])
      : leafChanges(changeAsWhole(listOrUndefined(before), listOrUndefined(after)))
    addPartChanges(comparison, element, part)
    return false
  })
  // Keys such as a UID recur in no other object: caching them would fill the memory.
  if (hasObjectSpecificKeys(topology)) comparison.isCacheable = false
}

/** Returns whether `test` was true for a key of the two lists. */
const someElement = (
  topology: OwnershipTopology,
  oldList: List,
  newList: List,
  test: (element: PathElement, before: List, after: List) => boolean
): boolean => {
  const [oldParts, newParts] = [listParts(topology, oldList), listParts(topology, newList)]
  for (const [element, values] of newParts)
    if (test(element, oldParts.get(element) ?? emptyList, values)) return true
  for (const [element, values] of oldParts)
    if (!newParts.has(element) && test(element, values, emptyList)) return true
  return false
}

const isKeyUnique = (before: List, after: List): boolean => before.length <= 1 && after.length <= 1

const listOrUndefined = (values: List): List | undefined => (values.length === 0 ? undefined : values)

const changeAsWhole = (before: unknown, after: unknown): OwnChange =>
  after === undefined ? "removed" : dequal(before, after) ? "none" : "changed"
