import { allKinds, groupResourceOf } from "../domain/kinds.ts"
import { keyOf } from "../domain/objects.ts"
import type { GroupResource } from "../domain/kinds.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { Change, ClusterView } from "./objectStore.ts"
import type { Present } from "./replica.ts"

type View = ClusterView["Service"]

const resourcesIn = (view: View): ReadonlyArray<GroupResource> =>
  [...allKinds, ...view.kinds.custom()].map(groupResourceOf)

/** All objects of a view. */
export const presentIn = (view: View): Present => ({
  tables: resourcesIn(view).map((resource) => [resource, view.all(resource)] as const),
  version: view.version()
})

/**
 * What a relist delivers after lost watch events: one change for every object that differs, and deletions with the
 * last known object.
 *
 * Source: staging/src/k8s.io/client-go/tools/cache/delta_fifo.go (Replace). Unlike Kubernetes, an object replaced by
 * one of the same name is a deletion and an addition.
 */
export const missedBetween = (seen: View, present: View): ReadonlyArray<Change> => {
  const met: Array<Change> = []
  const gone: Array<Change> = []
  const atEnd = present.version()
  for (const resource of new Set([...resourcesIn(seen), ...resourcesIn(present)])) {
    for (const object of present.all(resource)) {
      const old: KubeObject | undefined = seen.get(resource, keyOf(object))
      if (old === object) continue
      const resourceVersion = Number(object.metadata.resourceVersion)
      if (old === undefined) met.push({ type: "ADDED", resource, object, old, resourceVersion })
      else if (old.metadata.uid === object.metadata.uid) {
        met.push({ type: "MODIFIED", resource, object, old, resourceVersion })
      } else {
        met.push({ type: "DELETED", resource, object: old, old, resourceVersion })
        met.push({ type: "ADDED", resource, object, old: undefined, resourceVersion })
      }
    }
    for (const object of seen.all(resource)) {
      if (present.get(resource, keyOf(object)) !== undefined) continue
      gone.push({ type: "DELETED", resource, object, old: object, resourceVersion: atEnd })
    }
  }
  return [...met.sort((a, b) => a.resourceVersion - b.resourceVersion), ...gone]
}
