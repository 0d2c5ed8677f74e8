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
import { ownershipTopologyOf } from "./ownershipTopology.ts"

/**
 * Source: sigs.k8s.io/structured-merge-diff/merge/update.go, apimachinery/pkg/util/managedfields.
 */
export interface UpdateRequest extends VersionedWrite {
  /** The same write in other API versions: an owner's fields are compared in the version that it wrote. */
  readonly otherVersions?: ReadonlyArray<VersionedWrite>
  readonly manager: string
  readonly subresource?: string | undefined
  readonly nowMillis: number
  /** Fields that the request cannot own, such as `[["status"]]`. */
  readonly resetFields?: ReadonlyArray<ReadonlyArray<string>>
}

export interface VersionedWrite {
  readonly kind: Kind
  readonly before: object | undefined
  readonly after: object
}

/** The managed fields after a write; an object without managers gets none. */
export const recordUpdate = (write: UpdateRequest): ReadonlyArray<ManagedFieldsEntry> => {
  const owners = readOwnerships(entriesToKeep(write))
  if (owners.size === 0 && write.before !== undefined) return []
  return writeOwnerships(capUpdateManagers(ownersAfterUpdate(write, owners)))
}

/** A client may send entries, or reset them with one empty entry. */
const entriesToKeep = ({ before, after, subresource }: UpdateRequest): ReadonlyArray<ManagedFieldsEntry> => {
  const live = managedFieldsOf(before)
  if (subresource !== undefined) return live
  const sent = managedFieldsOf(after)
  const [first, ...others] = sent
  if (first !== undefined && others.length === 0 && Object.keys(first).length === 0) return []
  return readOwnerships(sent).size > 0 ? sent : live
}

export const ownersAfterUpdate = (write: UpdateRequest, owners: Ownerships): Ownerships => {
  const { kind, otherVersions = [], nowMillis } = write
  const unowned = unownedFieldsWith(write.resetFields)
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
  const allFields = unionSharingSets(remaining.get(identity)?.fields ?? emptyFieldSet, changed)
  return new Map([
    ...remaining,
    [identity, withEarlierEncoding({ ...owner, fields: allFields }, owners.get(identity))]
  ])
}

/** Returns one of the two sets if it contains the other, so that objects share sets. */
const unionSharingSets = (present: FieldSet, changed: FieldSet): FieldSet => {
  const fields = fieldSetUnion(present, changed)
  return fields !== present && isEmptyFieldSet(fieldSetDifference(present, changed)) ? changed : fields
}

/**
 * A manager that writes its own fields again within a second keeps their encoding. The entry is
 * copied: a new object among the entries shows which manager has written.
 */
const withEarlierEncoding = (owner: Ownership, earlier: Ownership | undefined): Ownership => {
  if (earlier?.entry === undefined || earlier.time !== owner.time) return owner
  if (!isSameFieldSet(earlier.fields, owner.fields)) return owner
  return { ...earlier, entry: Object.freeze({ ...earlier.entry }) }
}

const changesIn = ({ kind, before, after }: VersionedWrite, unowned: FieldSet) => {
  const { changed, removed } = compareFields(ownershipTopologyOf(kind), before ?? {}, after)
  return { changed: withoutSubtrees(changed, unowned), removed: withoutSubtrees(removed, unowned) }
}

const unownedFieldsWith = (resetFields: UpdateRequest["resetFields"] = noResetFields): FieldSet => {
  const cached = unownedByResetFields.get(resetFields)
  if (cached !== undefined) return cached
  const unowned = fieldSetUnion(unownedFields, resetFieldSet(resetFields))
  unownedByResetFields.set(resetFields, unowned)
  return unowned
}

const noResetFields: NonNullable<UpdateRequest["resetFields"]> = []
const unownedByResetFields = new WeakMap<object, FieldSet>()

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

/** `before-first-apply` owns an object without managers. */
export const ownersBeforeFirstApply = (kind: Kind, live: object, nowMillis: number): Ownerships =>
  ownersAfterUpdate(
    { kind, before: undefined, after: live, manager: "before-first-apply", nowMillis },
    noOwners
  )
