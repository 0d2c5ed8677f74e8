import { keyOf } from "../../domain/objects.ts"
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
  const by = writerOf(String(resourceVersion)) ?? managerOf(change)
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
  const [now, before] = [managersIn(object), old === undefined ? [] : managersIn(old)]
  const come = now.filter((entry) => !before.includes(entry))
  return come.length === 1 ? come[0]?.manager : undefined
}

const managersIn = ({ metadata }: KubeObject) => metadata.managedFields ?? []
