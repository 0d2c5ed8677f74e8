import { decodeValue, encodeValue } from "../snapshots/snapshotValues.ts"
import { encodeObjectWrites, makeWriteAttacher, type SavedWrites } from "../snapshots/snapshotWrites.ts"
import { deepFreeze } from "../../kubernetes/meta/deepFreeze.ts"
import type { makeSharing } from "../snapshots/snapshotValues.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectParts } from "../../kubernetes/apply/managedFields/trackedWrites.ts"

/** An object with its writes that are not yet made into managed fields, as a snapshot has them. */
interface StoredObject {
  readonly object: unknown
  readonly writes: SavedWrites
  /** Whether there are values that JSON lacks, encoded as in a snapshot. */
  readonly isMarked?: true
}

const listName = "object"

export const encodeStoredObject = (object: KubeObject): string => {
  let isPlain = isPlainValue(object)
  const writes = encodeObjectWrites(listName, object, (parts) => {
    isPlain = isPlain && isPlainValue(parts)
    return parts
  })
  const stored: StoredObject = isPlain ? { object, writes } : encodeMarked(object)
  return JSON.stringify(stored)
}

const encodeMarked = (object: KubeObject): StoredObject => {
  const writes = encodeObjectWrites(listName, object, (parts) => encodeValue(parts, noReference))
  return { object: encodeValue(object, noReference), writes, isMarked: true }
}

/** Nearly every object is made of what JSON has, and nothing in it needs to be encoded or decoded. */
const isPlainValue = (value: unknown): boolean => {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return true
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object") return false
  if (Array.isArray(value)) return value.every(isPlainValue)
  if (value instanceof Map || value instanceof Set) return false
  for (const field in value) {
    if (field.startsWith("$") || !isPlainValue((value as Fields)[field])) return false
  }
  return true
}

export const decodeStoredObject = (
  text: string,
  share: ReturnType<typeof makeSharing>,
  kinds: (resource: GroupResource) => Kind | undefined
): KubeObject => {
  const { object, writes, isMarked = false } = JSON.parse(text) as StoredObject
  /** Freezes a value in place, with one copy of equal parts. */
  const freezeShared = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) for (const item of value) freezeShared(item)
    else {
      for (const field in value) {
        const inner = (value as Fields)[field]
        if (typeof inner === "object")
          (value as Record<string, unknown>)[field] = share(field, inner, freezeShared)
      }
    }
    return Object.freeze(value)
  }
  const decode = (value: unknown): unknown => (isMarked ? decodeValue(value, share, noReference) : value)
  const freeze = isMarked ? deepFreeze : freezeShared
  const attach = makeWriteAttacher(writes, { decode: (parts) => freeze(decode(parts)) as ObjectParts, kinds })
  return freeze(attach(listName, 0, decode(object) as KubeObject)) as KubeObject
}

const noReference = (): undefined => undefined
