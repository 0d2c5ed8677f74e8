import { decodeValue, encodeValue } from "../snapshots/snapshotValues.ts"
import { encodeWrites, makeWriteAttacher, type SavedWrites } from "../snapshots/snapshotWrites.ts"
import { deepFreeze } from "../../kubernetes/meta/deepFreeze.ts"
import type { makeSharing } from "../snapshots/snapshotValues.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ObjectParts } from "../../kubernetes/apply/managedFields/trackedWrites.ts"

/** An object with its writes that are not yet made into managed fields, as a snapshot has them. */
interface StoredObject {
  readonly object: unknown
  readonly writes: SavedWrites
}

const listName = "object"

export const encodeStoredObject = (object: KubeObject): string => {
  const writes = encodeWrites([[listName, [object]]], (parts) => encodeValue(parts, noReference))
  const stored: StoredObject = { object: encodeValue(object, noReference), writes }
  return JSON.stringify(stored)
}

export const decodeStoredObject = (
  text: string,
  share: ReturnType<typeof makeSharing>,
  kinds: (resource: GroupResource) => Kind | undefined
): KubeObject => {
  const { object, writes } = JSON.parse(text) as StoredObject
  const attach = makeWriteAttacher(writes, {
    decode: (parts) => deepFreeze(decodeValue(parts, share, noReference)) as ObjectParts,
    kinds
  })
  return deepFreeze(attach(listName, 0, decodeValue(object, share, noReference) as KubeObject))
}

const noReference = (): undefined => undefined
