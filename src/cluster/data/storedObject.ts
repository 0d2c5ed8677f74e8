import { decodeValue, encodeValue } from "../snapshots/snapshotValues.ts"
import { encodeObjectWrites, makeWriteAttacher, type SavedWrites } from "../snapshots/snapshotWrites.ts"
import { deepFreeze } from "../../kubernetes/meta/deepFreeze.ts"
import { builtInKinds } from "../../kubernetes/meta/kinds.ts"
import { withPresentDefaults } from "./olderDefaults.ts"
import { trackedWritesOf } from "../../kubernetes/apply/managedFields/trackedWrites.ts"
import type { PartSharing } from "../snapshots/snapshotValues.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectParts, TrackedWrite } from "../../kubernetes/apply/managedFields/trackedWrites.ts"

/**
 * Two lines: the object, and the writes of its managed fields, whose text many objects share. One line, a
 * `OneLineObject`, if a write replaced a value that JSON lacks.
 */
export const writeStoredObject = (object: KubeObject, write: (text: string) => void): void => {
  const writesText = writesTextOf(object)
  if (writesText === undefined) return write(JSON.stringify(toOneLine(object)))
  write(JSON.stringify(object))
  write("\n")
  write(writesText)
}

interface OneLineObject {
  readonly object: unknown
  readonly writes: SavedWrites
  /** Whether values that JSON lacks are encoded. Absent in format 2. */
  readonly isMarked?: true
}

/** `SavedWrites` name an object by its list and its index; here one list has one object. */
const nameOfList = "object"
const indexInList = 0

const toOneLine = (object: KubeObject): OneLineObject => {
  const writes = encodeObjectWrites(nameOfList, object, (fieldValues) =>
    encodeValue(fieldValues, noReference)
  )
  return { object: encodeValue(object, noReference), writes, isMarked: true }
}

/** Undefined for writes with values that JSON lacks. */
const writesTexts = new WeakMap<TrackedWrite, string | undefined>()

const writesTextOf = (object: KubeObject): string | undefined => {
  const write = trackedWritesOf(object)
  if (write !== undefined && writesTexts.has(write)) return writesTexts.get(write)
  let isPlain = true
  const writes = encodeObjectWrites(nameOfList, object, (fieldValues) => {
    isPlain = isPlain && isPlainValue(fieldValues)
    return fieldValues
  })
  const text = isPlain ? JSON.stringify(writes) : undefined
  if (write !== undefined) writesTexts.set(write, text)
  return text
}

const isPlainValue = (value: unknown): boolean => {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object") return false
  if (Array.isArray(value)) return value.every(isPlainValue)
  if (value instanceof Map || value instanceof Set) return false
  for (const field in value) if (!isPlainValue((value as Fields)[field])) return false
  return true
}

type FindKind = (resource: GroupResource) => Kind | undefined

export const makeObjectDecoder = (share: PartSharing, kinds: FindKind): ((text: string) => KubeObject) => {
  const freezeShared = makeSharingFreezer(share)
  const attacherOf = makeAttachers(freezeShared, kinds)
  const decodeTwoLines = (objectText: string, writesText: string): KubeObject => {
    const attach = attacherOf(writesText)
    const object = withPresentDefaults(JSON.parse(objectText) as KubeObject)
    return freezeShared(attach(nameOfList, indexInList, object)) as KubeObject
  }
  const decodeOneLine = (text: string): KubeObject => {
    const { object, writes, isMarked = false } = JSON.parse(text) as OneLineObject
    const decode = (value: unknown): unknown => (isMarked ? decodeValue(value, share, noReference) : value)
    const freeze = isMarked ? deepFreeze : freezeShared
    const attach = makeWriteAttacher(writes, {
      decode: (fieldValues) => freeze(decode(fieldValues)) as ObjectParts,
      kinds
    })
    const decoded = withPresentDefaults(decode(object) as KubeObject)
    return freeze(attach(nameOfList, indexInList, decoded)) as KubeObject
  }
  return (text) => {
    const objectEnd = text.indexOf("\n")
    return objectEnd === -1
      ? decodeOneLine(text)
      : decodeTwoLines(text.slice(0, objectEnd), text.slice(objectEnd + 1))
  }
}

const makeSharingFreezer = (share: PartSharing): ((value: unknown) => unknown) => {
  const freezeShared = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) for (const item of value) freezeShared(item)
    else shareFields(value as Record<string, unknown>)
    return Object.freeze(value)
  }
  const shareFields = (fields: Record<string, unknown>): void => {
    for (const name in fields) {
      const inner = fields[name]
      if (typeof inner === "object") fields[name] = share(name, inner, freezeShared)
    }
  }
  return freezeShared
}

type WriteAttacher = ReturnType<typeof makeWriteAttacher>

const makeAttachers = (
  freezeShared: (value: unknown) => unknown,
  kinds: FindKind
): ((writesText: string) => WriteAttacher) => {
  const attachers = new Map<string, WriteAttacher>()
  const decode = (fieldValues: unknown): ObjectParts => freezeShared(fieldValues) as ObjectParts
  return (writesText) => {
    const cached = attachers.get(writesText)
    if (cached !== undefined) return cached
    const saved = JSON.parse(writesText) as SavedWrites
    const attacher = makeWriteAttacher(saved, { decode, kinds })
    // Not reused for custom resources, whose kinds may change from one object to the next.
    const isReusable = saved.writes.every(
      ({ resource }) => builtInKinds.findByResource(resource) !== undefined
    )
    if (isReusable) attachers.set(writesText, attacher)
    return attacher
  }
}

/** No value of an object is a reference to another object. */
const noReference = (): undefined => undefined
