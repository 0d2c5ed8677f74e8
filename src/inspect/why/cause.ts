import { withManagedFields } from "../../domain/managedFields/complete.ts"
import { keyOf } from "../../domain/objects.ts"
import { someClient } from "./parties.ts"
import type { KubeObject } from "../../domain/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { StepCause } from "./step.ts"

/** What has changed since an actor last looked: the latest change, and how many there were. */
export interface Waking {
  readonly change: Change
  readonly changes: number
}

/** The reason for a look. `writerOf` tells which actor has written a version. */
export const causeOf = (
  { change, changes }: Waking,
  writerOf: (resourceVersion: string) => string | undefined
): StepCause => {
  const { type, resource, object, resourceVersion } = change
  const writer = writerOf(String(resourceVersion))
  // What a client calls itself says more.
  const by = writer === undefined || writer === someClient ? (managerOf(change) ?? writer) : writer
  return {
    type,
    resource,
    key: keyOf(object),
    resourceVersion,
    ...(by === undefined ? {} : { by }),
    ...(changes > 1 ? { changes } : {})
  }
}

/** The field manager of whom the change says that it was there. */
const managerOf = ({ type, object, old }: Change): string | undefined => {
  if (type === "DELETED") return undefined
  const now = managersIn(object)
  if (now === old?.metadata.managedFields) return undefined
  // A client's write also works out who has made the writes before it.
  const before = old === undefined ? [] : managersIn(withManagedFields(old))
  const come = now.filter((entry) => !before.some((it) => isSame(it, entry)))
  // Whoever has written twice in a second has left the same words, and no more than that.
  const touched = come.length > 0 ? come : now.filter((entry) => !before.includes(entry))
  const managers = new Set(touched.map(({ manager }) => manager))
  return managers.size === 1 ? touched[0]?.manager : undefined
}

type Entry = ReturnType<typeof managersIn>[number]

const isSame = (a: Entry, b: Entry): boolean =>
  a.manager === b.manager &&
  a.operation === b.operation &&
  a.subresource === b.subresource &&
  a.time === b.time

const managersIn = ({ metadata }: KubeObject) => metadata.managedFields ?? []
