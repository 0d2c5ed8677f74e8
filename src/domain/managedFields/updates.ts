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
 * What a write that is no apply does to the ownership of fields.
 *
 * Source: sigs.k8s.io/structured-merge-diff/merge (update.go, Update),
 * staging/src/k8s.io/apimachinery/pkg/util/managedfields (fieldmanager.go, internal/managedfieldsupdater.go,
 * internal/skipnonapplied.go, internal/stripmeta.go).
 */
export interface RecordedWrite extends WrittenAs {
  /** The same in other versions: what somebody owns is compared in the version that was written. */
  readonly elsewhere?: ReadonlyArray<WrittenAs>
  readonly manager: string
  readonly subresource?: string | undefined
  readonly nowMillis: number
  /** What a write by this way cannot change, and therefore not own: `[["status"]]`. */
  readonly resetFields?: ReadonlyArray<ReadonlyArray<string>>
}

/** A write as one version of a kind shows it. */
export interface WrittenAs {
  readonly kind: Kind
  /** The object as it was, unless it is being created. */
  readonly before: object | undefined
  /** The object as it is about to be stored. */
  readonly after: object
}

/**
 * The managed fields of an object after a write: who writes owns every field that is new or has another value,
 * and nobody else owns it any longer. An object whose fields nobody has managed so far stays so.
 */
export const recordUpdate = (write: RecordedWrite): ReadonlyArray<ManagedFieldsEntry> => {
  const owners = readOwnerships(entriesToKeep(write))
  if (owners.size === 0 && write.before !== undefined) return []
  return writeOwnerships(capUpdaters(ownersAfter(write, owners)))
}

/** A client may write the list itself, or reset it with one empty entry; one that sends none leaves it. */
const entriesToKeep = ({ before, after, subresource }: RecordedWrite): ReadonlyArray<ManagedFieldsEntry> => {
  const live = managedFieldsOf(before)
  if (subresource !== undefined) return live
  const sent = managedFieldsOf(after)
  const [first, ...others] = sent
  if (first !== undefined && others.length === 0 && Object.keys(first).length === 0) return []
  return readOwnerships(sent).size > 0 ? sent : live
}

/** Whose which fields are after a write. */
export const ownersAfter = (write: RecordedWrite, owners: Ownerships): Ownerships => {
  const { kind, elsewhere = [], nowMillis } = write
  const beyond = beyondWrite(write.resetFields)
  const changes = changesIn(write, beyond)
  const others = new Map(elsewhere.map((as) => [apiVersionOf(as.kind), changesIn(as, beyond)] as const))
  const { changed } = changes
  const left = mapFields(owners, ({ fields, apiVersion }) => {
    const seen = others.get(apiVersion) ?? changes
    return difference(difference(fields, seen.changed), seen.removed)
  })
  if (isEmpty(changed)) return left
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
  const all = union(changed, left.get(identity)?.fields ?? emptySet)
  return new Map([...left, [identity, { ...owner, fields: all }]])
}

const changesIn = ({ kind, before, after }: WrittenAs, beyond: FieldSet) => {
  // In Go an object of which nothing has been said yet is there all the same.
  const { changed, removed } = changesBetween(shapeOf(kind), before ?? {}, after)
  return { changed: without(changed, beyond), removed: without(removed, beyond) }
}

/** What a write cannot come to own, by the fields that it cannot change. */
const beyondWrite = (resetFields: RecordedWrite["resetFields"] = nothingReset): FieldSet => {
  const known = beyonds.get(resetFields)
  if (known !== undefined) return known
  const beyond = union(untracked, resetSet(resetFields))
  beyonds.set(resetFields, beyond)
  return beyond
}

const nothingReset: NonNullable<RecordedWrite["resetFields"]> = []
const beyonds = new WeakMap<object, FieldSet>()

export const resetSet = (paths: ReadonlyArray<ReadonlyArray<string>> = []): FieldSet =>
  setOf(...paths.map((names) => fieldPath(...names)))

/** What identifies an object or is kept by the server has no owner. */
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

/** Before the first apply to an object without managers, the manager `before-first-apply` owns all of it. */
export const ownersBeforeApply = (kind: Kind, live: object, nowMillis: number): Ownerships =>
  ownersAfter({ kind, before: undefined, after: live, manager: "before-first-apply", nowMillis }, noOwners)
