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

interface OwnershipOptions {
  readonly mode: ManagerOptions & { readonly status: boolean }
  readonly kind: Kind
  readonly nowMillis: number
}

/** Kinds whose specs the server completes beyond the defaults: those fields get no manager. */
const completedKinds: ReadonlySet<GroupResource> = new Set([
  resources.namespaces,
  resources.pods,
  resources.services
])

/** `draft` is what the client has sent. */
export const createdVersion = (
  object: KubeObject,
  options: {
    readonly mode: ManagerOptions
    readonly kind: Kind
    readonly resource: GroupResource
    readonly draft: Draft
    readonly nowMillis: number
  }
): VersionToStore => {
  const { kind, resource, draft, nowMillis } = options
  const { manager, hasManagedFields } = options.mode
  if (manager === undefined || hasManagedFields === true)
    return { old: undefined, next: object, writes: undefined }
  const sentSpec = completedKinds.has(resource)
    ? { spec: "spec" in draft ? draft.spec : undefined }
    : undefined
  return {
    old: undefined,
    next: object,
    writes: trackCreate(fieldWriterOf({ kind, manager, subresource: "" }), nowMillis, sentSpec)
  }
}

/** A write without a manager leaves the ownership of fields as it is. */
export const updatedVersion = (
  old: KubeObject,
  next: KubeObject,
  options?: OwnershipOptions
): VersionToStore & { readonly old: KubeObject } => {
  if (options?.mode.hasManagedFields === true) return { old, next, writes: undefined }
  if (options?.mode.manager === undefined) return { old, next, writes: trackWriteWithoutManager(old, next) }
  const { kind, nowMillis } = options
  const { manager, status } = options.mode
  const writer = fieldWriterOf({ kind, manager, subresource: status ? "status" : "" })
  const writes = trackWrite(writer, nowMillis, { old, next })
  const nextWithEntries = withStoredEntries(old, next)
  // A write that changes nothing is not stored, and the entries alone are no change.
  if (!isChainTooLong(writes) || isEqualAsStored(old, nextWithEntries))
    return { old, next: nextWithEntries, writes }
  // `writes` would link to too many earlier writes, so their managed fields are computed and the chain begins anew.
  const freshWrites = trackWrite(writer, nowMillis, { old: { ...old }, next })
  return {
    old,
    next: withManagedFieldEntries(next, completeManagedFieldsOf(old)) as KubeObject,
    writes: freshWrites
  }
}

const withStoredEntries = (old: KubeObject, next: KubeObject): KubeObject =>
  next.metadata.managedFields === old.metadata.managedFields
    ? next
    : (withManagedFieldEntries(next, managedFieldsOf(old)) as KubeObject)

export const versionToCompare = (old: KubeObject, { hasManagedFields }: ManagerOptions): KubeObject =>
  hasManagedFields === true ? withCompleteManagedFields(old) : old
