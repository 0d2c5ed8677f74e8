import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { apiVersionOf, type Kind } from "../../meta/kinds.ts"
import { timestampOf } from "../../meta/amounts/timestamps.ts"
import { compareFields } from "./compareFields.ts"
import {
  capUpdateManagers,
  managerIdentity,
  managedFieldsOf,
  mapOwnedFields,
  noOwners,
  readOwnerships,
  writeOwnerships,
  type Ownership,
  type Ownerships
} from "./ownerships.ts"
import {
  fieldSetDifference,
  emptyFieldSet,
  fieldPath,
  isEmptyFieldSet,
  isSameFieldSet,
  fieldSetOf,
  fieldSetUnion,
  withoutSubtrees,
  type FieldSet
} from "./fieldSet.ts"
import { topologyOf } from "./topology.ts"

/**
 * The effect of a write other than an apply on field ownership.
 * Source: sigs.k8s.io/structured-merge-diff/merge (update.go, Update),
 * staging/src/k8s.io/apimachinery/pkg/util/managedfields (fieldmanager.go, internal/managedfieldsupdater.go,
 * internal/skipnonapplied.go, internal/stripmeta.go).
 */
export interface UpdateRequest extends VersionedWrite {
  /** The write in the kind's other versions: owners compare fields in the version they wrote. */
  readonly otherVersions?: ReadonlyArray<VersionedWrite>
  readonly manager: string
  readonly subresource?: string | undefined
  readonly nowMillis: number
  /** Fields that the request cannot change and therefore not own: `[["status"]]`. */
  readonly resetFields?: ReadonlyArray<ReadonlyArray<string>>
}

export interface VersionedWrite {
  readonly kind: Kind
  readonly before: object | undefined
  readonly after: object
}

/**
 * The managed fields after a write. The writer owns all new and changed fields, and other managers lose them. An
 * object without managers stays without.
 */
export const recordUpdate = (write: UpdateRequest): ReadonlyArray<ManagedFieldsEntry> => {
  const owners = readOwnerships(entriesToKeep(write))
  if (owners.size === 0 && write.before !== undefined) return []
  return writeOwnerships(capUpdateManagers(ownersAfterUpdate(write, owners)))
}

/** A client may send the entries itself or reset them with one empty entry. Without entries the stored ones remain. */
const entriesToKeep = ({ before, after, subresource }: UpdateRequest): ReadonlyArray<ManagedFieldsEntry> => {
  const live = managedFieldsOf(before)
  if (subresource !== undefined) return live
  const sent = managedFieldsOf(after)
  const [first, ...others] = sent
  if (first !== undefined && others.length === 0 && Object.keys(first).length === 0) return []
  return readOwnerships(sent).size > 0 ? sent : live
}

/** The owners after a write: the writer owns the fields that are new or changed, and the other managers lose them. */
export const ownersAfterUpdate = (write: UpdateRequest, owners: Ownerships): Ownerships => {
  const { kind, otherVersions = [], nowMillis } = write
  const unowned = unownedBy(write.resetFields)
  const changes = changesIn(write, unowned)
  const changesByVersion = new Map(
    otherVersions.map((version) => [apiVersionOf(version.kind), changesIn(version, unowned)] as const)
  )
  const { changed } = changes
  const { manager, subresource = "" } = write
  const owner: Ownership = {
    manager: manager === "" ? "unknown" : manager,
    operation: "Update",
    apiVersion: apiVersionOf(kind),
    subresource,
    time: timestampOf(nowMillis),
    fields: changed
  }
  const identity = managerIdentity(owner)
  const remaining = mapOwnedFields(owners, ({ fields, apiVersion }, ownerIdentity) => {
    const changesOfVersion = changesByVersion.get(apiVersion) ?? changes
    const present = fieldSetDifference(fields, changesOfVersion.removed)
    return ownerIdentity === identity ? present : fieldSetDifference(present, changesOfVersion.changed)
  })
  if (isEmptyFieldSet(changed)) return remaining
  const allFields = withChanged(remaining.get(identity)?.fields ?? emptyFieldSet, changed)
  return new Map([
    ...remaining,
    [identity, reusingEarlierFields({ ...owner, fields: allFields }, owners.get(identity))]
  ])
}

/**
 * All fields of a writer. One of the two sets itself where it contains the other, as it mostly does: sets are compared,
 * encoded and kept in memory once for all objects that share them.
 */
const withChanged = (present: FieldSet, changed: FieldSet): FieldSet => {
  const fields = fieldSetUnion(present, changed)
  return fields !== present && isEmptyFieldSet(fieldSetDifference(present, changed)) ? changed : fields
}

/**
 * A manager often writes the fields that it owns already: within a second, the encoded fields of its entry are used
 * again. The entry itself is copied: what explains a change finds its manager by the entry that is another object.
 */
const reusingEarlierFields = (owner: Ownership, earlier: Ownership | undefined): Ownership => {
  if (earlier?.entry === undefined || earlier.time !== owner.time) return owner
  if (!isSameFieldSet(earlier.fields, owner.fields)) return owner
  return { ...earlier, entry: Object.freeze({ ...earlier.entry }) }
}

const changesIn = ({ kind, before, after }: VersionedWrite, unowned: FieldSet) => {
  const { changed, removed } = compareFields(topologyOf(kind), before ?? {}, after)
  return { changed: withoutSubtrees(changed, unowned), removed: withoutSubtrees(removed, unowned) }
}

/** The fields that a write cannot come to own: those it cannot change, and those without an owner. */
const unownedBy = (resetFields: UpdateRequest["resetFields"] = noResetFields): FieldSet => {
  const cached = unownedByReset.get(resetFields)
  if (cached !== undefined) return cached
  const unowned = fieldSetUnion(unownedFields, resetFieldSet(resetFields))
  unownedByReset.set(resetFields, unowned)
  return unowned
}

const noResetFields: NonNullable<UpdateRequest["resetFields"]> = []
const unownedByReset = new WeakMap<object, FieldSet>()

export const resetFieldSet = (paths: ReadonlyArray<ReadonlyArray<string>> = []): FieldSet =>
  fieldSetOf(...paths.map((names) => fieldPath(...names)))

/** Metadata that identifies an object or belongs to the server has no owner. */
export const unownedMetadata: ReadonlyArray<string> = [
  "clusterName",
  "creationTimestamp",
  "generation",
  "managedFields",
  "name",
  "namespace",
  "resourceVersion",
  "selfLink",
  "uid"
]

export const unownedFields: FieldSet = fieldSetOf(
  fieldPath("apiVersion"),
  fieldPath("kind"),
  ...unownedMetadata.map((field) => fieldPath("metadata", field))
)

/** The owners before the first apply: `before-first-apply` owns an object without managers. */
export const ownersBeforeFirstApply = (kind: Kind, live: object, nowMillis: number): Ownerships =>
  ownersAfterUpdate(
    { kind, before: undefined, after: live, manager: "before-first-apply", nowMillis },
    noOwners
  )
