import { dequal } from "dequal/lite"
import { isFields, type Fields } from "../../meta/fields.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import type { Ownerships } from "./ownerships.ts"
import {
  withoutAdmissionDefaults,
  withManagedFieldEntries,
  statusResetFields,
  updateResetFields
} from "./recordManager.ts"
import {
  capUpdateManagers,
  managedFieldsOf,
  noOwners,
  readOwnerships,
  writeOwnerships
} from "./ownerships.ts"
import { ownersAfterUpdate } from "./recordUpdate.ts"
import { replaceFields, trackedWritesOf, type TrackedWrite, type FieldWriter } from "./trackedWrites.ts"
import type { Draft, KubeObject } from "../../meta/objects.ts"

const completeObjects = new WeakMap<KubeObject, KubeObject>()

/**
 * A stored object with the managed fields that clients see. They include those of tracked writes: recent ones of
 * controllers, which the object's own entries do not contain yet. Returns the same object if there are none.
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers (create.go, update.go, patch.go), which record the
 * manager of every request, also of controllers.
 */
export const withAllManagedFields = <O extends KubeObject>(object: O): O => {
  const writes = trackedWritesOf(object)
  if (writes === undefined) return object
  const cached = completeObjects.get(object) as O | undefined
  if (cached !== undefined) return cached
  const completeObject = Object.freeze(withManagedFieldEntries(object, entriesAfter(object, writes))) as O
  completeObjects.set(object, completeObject)
  return completeObject
}

export const allManagedFieldsOf = (object: KubeObject): ReadonlyArray<ManagedFieldsEntry> =>
  managedFieldsOf(withAllManagedFields(object))

const entriesAfter = (object: KubeObject, writes: TrackedWrite): ReadonlyArray<ManagedFieldsEntry> => {
  const replayed = replayWrites(object, writes)
  const entries = managedFieldsOf(object)
  let owners = readOwnerships(entries)
  // Upstream does not start tracking an object without managers (internal/skipnonapplied.go).
  if (owners.size === 0 && replayed[0]?.write.before !== undefined) return entries
  for (const write of replayed) {
    owners =
      write.before === undefined
        ? ownersAfterCreate(write)
        : capUpdateManagers(ownersAfterUpdate(updateRequestOf(write), owners))
  }
  return writeOwnerships(owners)
}

const updateRequestOf = ({ write, before, after }: ReplayedWrite) => {
  const { nowMillis, writer } = write
  const { kind, manager, subresource } = writer
  return {
    kind,
    before,
    after,
    manager,
    subresource,
    nowMillis,
    resetFields: resetFieldsOf(writer)
  }
}

/**
 * Memoizes the owners after a create. A ReplicaSet creates many Pods that are alike: to save memory, equal writes of
 * one manager in the same second are one `TrackedWrite`, so that its Pods have this key in common.
 */
const ownersByCreate = new WeakMap<TrackedWrite, { readonly after: Fields; readonly owners: Ownerships }>()

const ownersAfterCreate = (create: ReplayedWrite): Ownerships => {
  const { write, after } = create
  const cached = ownersByCreate.get(write)
  if (cached !== undefined && hasSameOwnedFields(cached.after, after)) return cached.owners
  const sent = withoutAdmissionDefaults(write.writer.kind, after as unknown as Draft)
  // Writing the entries and reading them back stores in each `Ownership` the entry that it was encoded to. All Pods of
  // this create then get that entry, without encoding it again.
  const owners = readOwnerships(
    writeOwnerships(ownersAfterUpdate(updateRequestOf({ ...create, after: { ...sent } }), noOwners))
  )
  ownersByCreate.set(write, { after, owners })
  return owners
}

/** Whether two created objects have the same fields that can have owners, apart from values that differ in each Pod. */
const hasSameOwnedFields = (a: Fields, b: Fields): boolean =>
  dequal(ownedMetadata(a["metadata"]), ownedMetadata(b["metadata"])) &&
  [...Object.keys(a), ...Object.keys(b)].every((part) => unsharedParts.has(part) || a[part] === b[part])

/** Parts of an object whose values differ in each Pod of a ReplicaSet. */
const unsharedParts: ReadonlySet<string> = new Set(["metadata", "status"])

const ownedMetadata = (metadata: unknown): unknown => {
  const { labels, annotations, ownerReferences, finalizers, generateName } = isFields(metadata)
    ? metadata
    : {}
  return [labels, annotations, ownerReferences, finalizers, generateName]
}

/** Fields that a write to the object, or to its status, cannot change. */
const resetFieldsOf = ({ kind, subresource }: FieldWriter): ReadonlyArray<ReadonlyArray<string>> =>
  subresource === "status" ? statusResetFields(kind) : updateResetFields(kind)

interface ReplayedWrite {
  readonly write: TrackedWrite
  /** Undefined for a create. */
  readonly before: Fields | undefined
  readonly after: Fields
}

/** The object before and after each write, oldest first, reconstructed backwards from the current version. */
const replayWrites = (object: KubeObject, writes: TrackedWrite): ReadonlyArray<ReplayedWrite> => {
  const replayed: Array<ReplayedWrite> = []
  const hasNoUnmanagedField = unmanagedFields.every((field) => !Object.hasOwn(object.metadata, field))
  const stored = object as unknown as Fields
  let current: Fields = hasNoUnmanagedField ? stored : replaceFields(stored, unmanagedFieldsRemoved)
  for (let write: TrackedWrite | undefined = writes; write !== undefined; write = write.earlier) {
    // `write.after` holds the parts that later writes without a manager (a binding, a deletion) have replaced, as this
    // write left them. For a create it also holds the parts that the server completed, as the client sent them.
    const after = write.after === undefined ? current : replaceFields(current, write.after)
    const before = write.before === undefined ? undefined : replaceFields(after, write.before)
    replayed.unshift({ write, before, after })
    if (write.before !== undefined) current = replaceFields(current, write.before)
  }
  return replayed
}

/** Fields that the server sets: on deletion, and the entries themselves. */
const unmanagedFields = ["deletionGracePeriodSeconds", "deletionTimestamp", "managedFields"]
const unmanagedFieldsRemoved = Object.fromEntries(
  unmanagedFields.map((field) => [`metadata.${field}`, undefined])
)
