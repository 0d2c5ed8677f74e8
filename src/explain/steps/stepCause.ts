import { withCompleteManagedFields } from "../../kubernetes/apply/managedFields/completeManagedFields.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { unnamedClient } from "./writerText.ts"
import type { ManagedFieldsEntry } from "kubernetes-types/meta/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { StepCause } from "./step.ts"

/** What has woken an actor since its last look: the latest change, and how many there were. */
export interface UnseenChanges {
  readonly change: Change
  readonly count: number
}

export const toStepCause = (
  { change, count }: UnseenChanges,
  writerOf: (resourceVersion: string) => string | undefined
): StepCause => {
  const { type, resource, object, resourceVersion } = change
  const writer = writerOf(String(resourceVersion))
  // A field manager is more specific than "a client".
  const by = writer === undefined || writer === unnamedClient ? (managerOf(change) ?? writer) : writer
  return {
    type,
    resource,
    key: objectKeyOf(object),
    resourceVersion,
    ...(by === undefined ? {} : { by }),
    ...(count > 1 ? { changes: count } : {})
  }
}

const managerOf = ({ type, object, old }: Change): string | undefined => {
  if (type === "DELETED") return undefined
  const after = managedFieldsIn(object)
  if (after === old?.metadata.managedFields) return undefined
  // A client's write also makes the entries of earlier writes by controllers, which are not of this change.
  const before = old === undefined ? [] : managedFieldsIn(withCompleteManagedFields(old))
  const added = after.filter((entry) => !before.some((it) => isSameEntry(it, entry)))
  // Two writes of one manager within a second leave equal entries, which are different objects.
  const touched = added.length > 0 ? added : after.filter((entry) => !before.includes(entry))
  const managers = new Set(touched.map(({ manager }) => manager))
  return managers.size === 1 ? touched[0]?.manager : undefined
}

const isSameEntry = (a: ManagedFieldsEntry, b: ManagedFieldsEntry): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  a.time === b.time

const managedFieldsIn = ({ metadata }: KubeObject): ReadonlyArray<ManagedFieldsEntry> =>
  metadata.managedFields ?? []
