import { storedKinds, groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import { objectKeyOf, resourceVersionOf } from "../../kubernetes/meta/objects.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type { PresentObjects } from "../../store/replica.ts"

type View = ClusterView["Service"]

const resourcesIn = (view: View): ReadonlyArray<GroupResource> =>
  [...storedKinds, ...view.kinds.custom()].map(groupResourceOf)

export const presentObjectsIn = (view: View): PresentObjects => ({
  tables: resourcesIn(view).map((resource) => [resource, view.all(resource)] as const),
  version: view.version()
})

/**
 * The changes that a relist delivers: one for each object that differs.
 * Source: client-go/tools/cache/delta_fifo.go (Replace). Unlike Kubernetes, an object replaced by one of the same
 * name is a deletion and an addition.
 */
export const relistChanges = (known: View, present: View): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  const deletions: Array<Change> = []
  const presentVersion = present.version()
  for (const resource of new Set([...resourcesIn(known), ...resourcesIn(present)])) {
    for (const object of present.all(resource)) {
      const old: KubeObject | undefined = known.get(resource, objectKeyOf(object))
      if (old === object) continue
      const resourceVersion = resourceVersionOf(object)
      if (old === undefined) changes.push({ type: "ADDED", resource, object, old, resourceVersion })
      else if (old.metadata.uid === object.metadata.uid) {
        changes.push({ type: "MODIFIED", resource, object, old, resourceVersion })
      } else {
        changes.push({ type: "DELETED", resource, object: old, old, resourceVersion })
        changes.push({ type: "ADDED", resource, object, old: undefined, resourceVersion })
      }
    }
    for (const object of known.all(resource)) {
      if (present.get(resource, objectKeyOf(object)) !== undefined) continue
      deletions.push({ type: "DELETED", resource, object, old: object, resourceVersion: presentVersion })
    }
  }
  return [...changes.sort((a, b) => a.resourceVersion - b.resourceVersion), ...deletions]
}
