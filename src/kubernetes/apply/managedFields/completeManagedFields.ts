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
import { replaceParts, trackedWritesOf, type TrackedWrite, type FieldWriter } from "./trackedWrites.ts"
import type { Draft, KubeObject } from "../../meta/objects.ts"

const completeObjects = new WeakMap<KubeObject, KubeObject>()

/**
 * Computes the entries of the object's tracked writes; returns the same object if it has none. Source:
 * apiserver/pkg/endpoints/handlers/update.go.
 */
export const withCompleteManagedFields = <O extends KubeObject>(object: O): O => {
  const chain = trackedWritesOf(object)
  if (chain === undefined) return object
  const cached = completeObjects.get(object) as O | undefined
  if (cached !== undefined) return cached
  const completeObject = Object.freeze(withManagedFieldEntries(object, entriesAfter(object, chain))) as O
  completeObjects.set(object, completeObject)
  return completeObject
}

export const completeManagedFieldsOf = (object: KubeObject): ReadonlyArray<ManagedFieldsEntry> =>
  managedFieldsOf(withCompleteManagedFields(object))

const entriesAfter = (object: KubeObject, chain: TrackedWrite): ReadonlyArray<ManagedFieldsEntry> => {
  const replayed = replayWrites(object, chain)
  const entries = managedFieldsOf(object)
  let owners = readOwnerships(entries)
  // Upstream does not start tracking an object without managers (skipnonapplied.go).
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
 * Equal creates of a ReplicaSet's Pods are one `TrackedWrite`, so these Pods share one entry here.
 */
const ownersByCreate = new WeakMap<TrackedWrite, { readonly after: Fields; readonly owners: Ownerships }>()

const ownersAfterCreate = (create: ReplayedWrite): Ownerships => {
  const { write, after } = create
  const cached = ownersByCreate.get(write)
  if (cached !== undefined && hasSameOwnedFields(cached.after, after)) return cached.owners
  const sentObject = withoutAdmissionDefaults(write.writer.kind, after as unknown as Draft)
  // Encoding here stores each entry in its `Ownership`, so that all Pods of this create share the
  // entry.
  const owners = readOwnerships(
    writeOwnerships(ownersAfterUpdate(updateRequestOf({ ...create, after: { ...sentObject } }), noOwners))
  )
  ownersByCreate.set(write, { after, owners })
  return owners
}

const hasSameOwnedFields = (first: Fields, second: Fields): boolean =>
  dequal(ownedMetadata(first["metadata"]), ownedMetadata(second["metadata"])) &&
  [...Object.keys(first), ...Object.keys(second)].every(
    (part) => unsharedParts.has(part) || first[part] === second[part]
  )

/** Parts whose values differ in each Pod of a ReplicaSet. */
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

/** The writes, oldest first, reconstructed backwards from the current version. */
const replayWrites = (object: KubeObject, chain: TrackedWrite): ReadonlyArray<ReplayedWrite> => {
  const replayed: Array<ReplayedWrite> = []
  const hasNoUnmanagedField = unmanagedFields.every((field) => !Object.hasOwn(object.metadata, field))
  const stored = object as unknown as Fields
  let current: Fields = hasNoUnmanagedField ? stored : replaceParts(stored, unmanagedFieldsRemoved)
  for (let write: TrackedWrite | undefined = chain; write !== undefined; write = write.earlier) {
    // `write.after`: what this write set in parts that a write without a manager, or the server, changed later.
    const after = write.after === undefined ? current : replaceParts(current, write.after)
    const before = write.before === undefined ? undefined : replaceParts(after, write.before)
    replayed.unshift({ write, before, after })
    if (write.before !== undefined) current = replaceParts(current, write.before)
  }
  return replayed
}

/** Fields that the server sets, so that they have no manager. */
const unmanagedFields = ["deletionGracePeriodSeconds", "deletionTimestamp", "managedFields"]
const unmanagedFieldsRemoved = Object.fromEntries(
  unmanagedFields.map((field) => [`metadata.${field}`, undefined])
)
