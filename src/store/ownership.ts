import { allEntriesOf, withManagedFields } from "../domain/managedFields/complete.ts"
import { withEntries } from "../domain/managedFields/ownedWrites.ts"
import { managedFieldsOf } from "../domain/managedFields/entries.ts"
import {
  created,
  isTooLong,
  unattributed,
  written,
  writerOf,
  type TrackedWrite
} from "../domain/managedFields/writes.ts"
import { resources } from "../domain/kinds.ts"
import type { GroupResource, Kind } from "../domain/kinds.ts"
import type { Draft, KubeObject } from "../domain/objects.ts"
import type { WriteOptions } from "./objectStore.ts"

/** A version that is about to be stored, and who has written what of it. */
export interface Owned {
  readonly old: KubeObject | undefined
  readonly next: KubeObject
  readonly writes: TrackedWrite | undefined
}

type Naming = Pick<WriteOptions, "manager" | "tellsManagers">

interface Way extends Naming {
  readonly kind: Kind
  readonly status: boolean
  readonly nowMillis: number
}

/** Kinds whose specs admission or the registry fills in beyond the defaults: those fields get no manager. */
const filledIn: ReadonlySet<GroupResource> = new Set([
  resources.namespaces,
  resources.pods,
  resources.services
])

/** A new object. `draft` is what was sent. */
export const ownedFromStart = (
  object: KubeObject,
  way: Naming & {
    readonly kind: Kind
    readonly resource: GroupResource
    readonly draft: Draft
    readonly nowMillis: number
  }
): Owned => {
  const { manager, tellsManagers, kind, resource, draft, nowMillis } = way
  if (manager === undefined || tellsManagers === true)
    return { old: undefined, next: object, writes: undefined }
  const sent = filledIn.has(resource) ? { spec: "spec" in draft ? draft.spec : undefined } : undefined
  return { old: undefined, next: object, writes: created(writerOf(kind, manager, ""), nowMillis, sent) }
}

/** A new version of an object. A write without a manager leaves the ownership of its fields as it is. */
export const ownedAfter = (
  old: KubeObject,
  next: KubeObject,
  way?: Way
): Owned & { readonly old: KubeObject } => {
  if (way?.tellsManagers === true) return { old, next, writes: undefined }
  if (way?.manager === undefined) return { old, next, writes: unattributed(old, next) }
  const { kind, manager, status, nowMillis } = way
  const writer = writerOf(kind, manager, status ? "status" : "")
  const writes = written(writer, nowMillis, { old, next })
  if (!isTooLong(writes)) return { old, next: withEntriesOf(old, next), writes }
  // A copy has no chain: all that was in it is in the entries now.
  const begun = written(writer, nowMillis, { old: { ...old }, next })
  return { old, next: withEntries(next, allEntriesOf(old)) as KubeObject, writes: begun }
}

/** Who writes without a word on managed fields leaves them. */
const withEntriesOf = (old: KubeObject, next: KubeObject): KubeObject =>
  next.metadata.managedFields === old.metadata.managedFields
    ? next
    : (withEntries(next, managedFieldsOf(old)) as KubeObject)

/** What a new version is compared with, to tell whether it is one. */
export const comparedWith = (old: KubeObject, { tellsManagers }: Naming): KubeObject =>
  tellsManagers === true ? withManagedFields(old) : old
