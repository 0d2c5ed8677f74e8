import { recordedObjectCount, recordedObjects } from "./recordedResources.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { EntryNumbering } from "./entryNumbering.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { ObjectEntry } from "./entry.ts"

/** The changes before the recording begins, of a cluster that continues from a data directory. */
export interface EarlierChanges {
  /** The objects before the first of the changes. */
  readonly initialObjects: (resource: GroupResource) => ReadonlyMap<string, KubeObject>
  readonly changes: ReadonlyArray<Change>
  /** The cluster's time of each change. */
  readonly times: ReadonlyArray<number>
}

interface InitialObjects {
  readonly numbering: EntryNumbering
  readonly view: Pick<ClusterView["Service"], "all">
  readonly earlierChanges?: EarlierChanges | undefined
}

/**
 * Numbers the entries of the objects that are there when a recording begins. Objects of a data directory are only
 * decoded when the entries are read.
 */
export const initialObjectEntries = (
  { numbering, view, earlierChanges }: InitialObjects,
  atMillis: number
): (() => ReadonlyArray<ObjectEntry>) => {
  const toEntry = (resource: string, object: KubeObject, number: number): ObjectEntry => ({
    type: "object",
    change: "ADDED",
    number,
    atMillis,
    resource,
    object
  })
  if (earlierChanges === undefined) {
    const entries = recordedObjects(view.all).map(([resource, object]) =>
      toEntry(resource, object, numbering.next())
    )
    return () => entries
  }
  const { initialObjects } = earlierChanges
  const firstNumber = numbering.reserve(recordedObjectCount((resource) => initialObjects(resource).size))
  return () =>
    recordedObjects((resource) => initialObjects(resource).values()).map(([resource, object], index) =>
      toEntry(resource, object, firstNumber + index)
    )
}
