import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import { apiVersionOf, type Kind } from "../kinds.ts"
import { timestampOf } from "../timestamps.ts"
import { changesBetween } from "./compare.ts"
import {
  capUpdaters,
  identityOf,
  managedFieldsOf,
  mapFields,
  noOwners,
  readOwnerships,
  writeOwnerships,
  type Ownership,
  type Ownerships
} from "./entries.ts"
import { difference, emptySet, fieldPath, isEmpty, setOf, union, without, type FieldSet } from "./fieldSet.ts"
import { shapeOf } from "./topology.ts"

/**
 * The effect of a write other than an apply on field ownership.
 * Source: sigs.k8s.io/structured-merge-diff/merge (update.go, Update),
 * staging/src/k8s.io/apimachinery/pkg/util/managedfields (fieldmanager.go, internal/managedfieldsupdater.go,
 * internal/skipnonapplied.go, internal/stripmeta.go).
 */
export interface RecordedWrite extends WrittenAs {
  /** The write in the kind's other versions: owners compare fields in the version they wrote. */
  readonly elsewhere?: ReadonlyArray<WrittenAs>
  readonly manager: string
  readonly subresource?: string | undefined
  readonly nowMillis: number
  /** Fields that the request cannot change and therefore not own: `[["status"]]`. */
  readonly resetFields?: ReadonlyArray<ReadonlyArray<string>>
}

export interface WrittenAs {
  readonly kind: Kind
  readonly before: object | undefined
  readonly after: object
}

/**
 * The managed fields after a write. The writer owns all new and changed fields, and other managers lose them. An
 * object without managers stays without.
 */
export const recordUpdate = (write: RecordedWrite): ReadonlyArray<ManagedFieldsEntry> => {
  const owners = readOwnerships(entriesToKeep(write))
  if (owners.size === 0 && write.before !== undefined) return []
  return writeOwnerships(capUpdaters(ownersAfter(write, owners)))
}

/** A client may send the entries itself or reset them with one empty entry. Without entries the stored ones remain. */
const entriesToKeep = ({ before, after, subresource }: RecordedWrite): ReadonlyArray<ManagedFieldsEntry> => {
  const live = managedFieldsOf(before)
  if (subresource !== undefined) return live
  const sent = managedFieldsOf(after)
  const [first, ...others] = sent
  if (first !== undefined && others.length === 0 && Object.keys(first).length === 0) return []
  return readOwnerships(sent).size > 0 ? sent : live
}

export const ownersAfter = (write: RecordedWrite, owners: Ownerships): Ownerships => {
  const { kind, elsewhere = [], nowMillis } = write
  const unowned = unownedBy(write.resetFields)
  const changes = changesIn(write, unowned)
  const changesByVersion = new Map(
    elsewhere.map((version) => [apiVersionOf(version.kind), changesIn(version, unowned)] as const)
  )
  const { changed } = changes
  const remaining = mapFields(owners, ({ fields, apiVersion }) => {
    const changesOfVersion = changesByVersion.get(apiVersion) ?? changes
    return difference(difference(fields, changesOfVersion.changed), changesOfVersion.removed)
  })
  if (isEmpty(changed)) return remaining
  const { manager, subresource = "" } = write
  const owner: Ownership = {
    manager: manager === "" ? "unknown" : manager,
    operation: "Update",
    apiVersion: apiVersionOf(kind),
    subresource,
    time: timestampOf(nowMillis),
    fields: changed
  }
  const identity = identityOf(owner)
  const allFields = union(changed, remaining.get(identity)?.fields ?? emptySet)
  return new Map([...remaining, [identity, { ...owner, fields: allFields }]])
}

const changesIn = ({ kind, before, after }: WrittenAs, unowned: FieldSet) => {
  const { changed, removed } = changesBetween(shapeOf(kind), before ?? {}, after)
  return { changed: without(changed, unowned), removed: without(removed, unowned) }
}

const unownedBy = (resetFields: RecordedWrite["resetFields"] = noResetFields): FieldSet => {
  const cached = unownedByReset.get(resetFields)
  if (cached !== undefined) return cached
  const unowned = union(untracked, resetSet(resetFields))
  unownedByReset.set(resetFields, unowned)
  return unowned
}

const noResetFields: NonNullable<RecordedWrite["resetFields"]> = []
const unownedByReset = new WeakMap<object, FieldSet>()

export const resetSet = (paths: ReadonlyArray<ReadonlyArray<string>> = []): FieldSet =>
  setOf(...paths.map((names) => fieldPath(...names)))

/** Metadata that identifies an object or belongs to the server has no owner. */
export const metadataWithoutOwner: ReadonlyArray<string> = [
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

export const untracked: FieldSet = setOf(
  fieldPath("apiVersion"),
  fieldPath("kind"),
  ...metadataWithoutOwner.map((field) => fieldPath("metadata", field))
)

/** The owners before the first apply: `before-first-apply` owns an object without managers. */
export const ownersBeforeApply = (kind: Kind, live: object, nowMillis: number): Ownerships =>
  ownersAfter({ kind, before: undefined, after: live, manager: "before-first-apply", nowMillis }, noOwners)
