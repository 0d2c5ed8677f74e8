import { withAllManagedFields } from "../../kubernetes/apply/managedFields/allManagedFields.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { unnamedClient } from "./writerText.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { StepCause } from "./step.ts"

export interface UnseenChanges {
  readonly change: Change
  readonly changes: number
}

/** Why an actor looked. `writerOf` returns the actor that wrote a version. */
export const toStepCause = (
  { change, changes }: UnseenChanges,
  writerOf: (resourceVersion: string) => string | undefined
): StepCause => {
  const { type, resource, object, resourceVersion } = change
  const writer = writerOf(String(resourceVersion))
  // A client's field manager is more specific.
  const by = writer === undefined || writer === unnamedClient ? (managerOf(change) ?? writer) : writer
  return {
    type,
    resource,
    key: objectKeyOf(object),
    resourceVersion,
    ...(by === undefined ? {} : { by }),
    ...(changes > 1 ? { changes } : {})
  }
}

const managerOf = ({ type, object, old }: Change): string | undefined => {
  if (type === "DELETED") return undefined
  const after = managedFieldsIn(object)
  if (after === old?.metadata.managedFields) return undefined
  // A write also completes the entries of earlier writes.
  const before = old === undefined ? [] : managedFieldsIn(withAllManagedFields(old))
  const added = after.filter((entry) => !before.some((it) => isSame(it, entry)))
  // Two writes within a second leave equal entries.
  const touched = added.length > 0 ? added : after.filter((entry) => !before.includes(entry))
  const managers = new Set(touched.map(({ manager }) => manager))
  return managers.size === 1 ? touched[0]?.manager : undefined
}

type Entry = ReturnType<typeof managedFieldsIn>[number]

const isSame = (a: Entry, b: Entry): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  a.time === b.time

const managedFieldsIn = ({ metadata }: KubeObject) => metadata.managedFields ?? []
