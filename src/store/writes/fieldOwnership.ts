import {
  completeManagedFieldsOf,
  withCompleteManagedFields
} from "../../kubernetes/apply/managedFields/completeManagedFields.ts"
import { withManagedFieldEntries } from "../../kubernetes/apply/managedFields/recordManager.ts"
import { managedFieldsOf } from "../../kubernetes/apply/managedFields/ownerships.ts"
import {
  trackCreate,
  isChainTooLong,
  trackWriteWithoutManager,
  trackWrite,
  fieldWriterOf,
  type ObjectParts,
  type TrackedWrite
} from "../../kubernetes/apply/managedFields/trackedWrites.ts"
import { isEqualAsStored } from "../../kubernetes/meta/semanticEquality.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { GroupResource, Kind } from "../../kubernetes/meta/kinds.ts"
import type { Draft, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { WriteOptions } from "../objectStore.ts"

/** A version to store, with the writes from which its managed fields are computed later. */
export interface VersionToStore {
  readonly old: KubeObject | undefined
  readonly next: KubeObject
  readonly writes: TrackedWrite | undefined
}

type ManagerOptions = Omit<WriteOptions, "dryRun">

/** `draft` is what the client has sent. */
export const createdVersion = (
  object: KubeObject,
  options: {
    readonly writeOptions: ManagerOptions
    readonly kind: Kind
    readonly resource: GroupResource
    readonly draft: Draft
    readonly nowMillis: number
  }
): VersionToStore => {
  const { writeOptions, kind, resource, draft, nowMillis } = options
  const { manager, hasManagedFields } = writeOptions
  if (manager === undefined || hasManagedFields === true)
    return { old: undefined, next: object, writes: undefined }
  const writer = fieldWriterOf(kind, manager)
  return { old: undefined, next: object, writes: trackCreate(writer, nowMillis, sentSpecOf(resource, draft)) }
}

/** Kinds whose specs the server completes beyond the defaults: those fields get no manager. */
const completedKinds: ReadonlySet<GroupResource> = new Set([
  resources.namespaces,
  resources.pods,
  resources.services
])

const sentSpecOf = (resource: GroupResource, draft: Draft): ObjectParts | undefined =>
  completedKinds.has(resource) ? { spec: "spec" in draft ? draft.spec : undefined } : undefined

type UpdatedVersion = VersionToStore & { readonly old: KubeObject }

/** A write without a manager leaves the ownership of fields as it is. */
export const updatedVersion = (
  old: KubeObject,
  next: KubeObject,
  options?: {
    readonly writeOptions: ManagerOptions & { readonly status: boolean }
    readonly kind: Kind
    readonly nowMillis: number
  }
): UpdatedVersion => {
  if (options?.writeOptions.hasManagedFields === true) return { old, next, writes: undefined }
  if (options?.writeOptions.manager === undefined)
    return { old, next, writes: trackWriteWithoutManager(old, next) }
  const { kind, nowMillis } = options
  const { manager, status } = options.writeOptions
  const writer = fieldWriterOf(kind, manager, status ? "status" : "")
  const writes = trackWrite(writer, nowMillis, { old, next })
  const nextWithEntries = withStoredEntries(old, next)
  // A write that changes nothing is not stored, and the entries alone are no change.
  return isChainTooLong(writes) && !isEqualAsStored(old, nextWithEntries)
    ? versionWithNewChain(old, next, { writer, nowMillis })
    : { old, next: nextWithEntries, writes }
}

const withStoredEntries = (old: KubeObject, next: KubeObject): KubeObject =>
  next.metadata.managedFields === old.metadata.managedFields
    ? next
    : (withManagedFieldEntries(next, managedFieldsOf(old)) as KubeObject)

/** Replaces the chain of earlier writes by entries of `managedFields`; the new write begins another chain. */
const versionWithNewChain = (
  old: KubeObject,
  next: KubeObject,
  { writer, nowMillis }: Pick<TrackedWrite, "writer" | "nowMillis">
): UpdatedVersion => {
  // The chain is a private field, which a copy lacks.
  const oldWithoutChain = { ...old }
  return {
    old,
    next: withManagedFieldEntries(next, completeManagedFieldsOf(old)) as KubeObject,
    writes: trackWrite(writer, nowMillis, { old: oldWithoutChain, next })
  }
}

export const versionToCompare = (old: KubeObject, { hasManagedFields }: ManagerOptions): KubeObject =>
  hasManagedFields === true ? withCompleteManagedFields(old) : old
