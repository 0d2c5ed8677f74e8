import { makeReplica } from "../store/replica.ts"
import { objectKeyOf, resourceVersionOf } from "../kubernetes/meta/objects.ts"
import type { ClusterView, ObjectList } from "../store/objectStore.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"

export interface RemoteView {
  readonly view: ClusterView["Service"]
  /** Replaces all objects of a resource in a namespace; in all namespaces if it is undefined. */
  readonly replace: (
    scope: { readonly resource: GroupResource; readonly namespace: string | undefined },
    list: ObjectList<KubeObject>
  ) => void
  readonly change: (resource: GroupResource, object: KubeObject) => void
  readonly remove: (resource: GroupResource, object: KubeObject) => void
  /** Takes the object that a write returned, unless the object was deleted meanwhile. */
  readonly applyWriteAnswer: (resource: GroupResource, object: KubeObject) => void
  /** Calls `toViewObject` again for an object of the same version. */
  readonly refresh: (resource: GroupResource, object: KubeObject) => void
}

interface RemoteViewOptions {
  readonly nowMillis: () => number
  /** What the view has of an object; undefined to leave it out, such as an unsteered Deployment. */
  readonly toViewObject: (resource: GroupResource, object: KubeObject) => KubeObject | undefined
}

/**
 * Ignores an object that is older than the stored one: informers, lists from a server's cache and answers to writes
 * come in any order.
 */
export const makeRemoteView = ({ nowMillis, toViewObject }: RemoteViewOptions): RemoteView => {
  // No watch resumes from this view: it needs no history.
  const { view, apply, tableOf } = makeReplica({ nowMillis, historyChangesMax: 1 })

  const putIfNewer = (resource: GroupResource, seen: KubeObject): void => {
    const old = tableOf(resource).get(objectKeyOf(seen))
    if (old === undefined || resourceVersionOf(seen) > resourceVersionOf(old)) put(resource, seen)
  }
  const put = (resource: GroupResource, seen: KubeObject): void => {
    const old = tableOf(resource).get(objectKeyOf(seen))
    const object = toViewObject(resource, seen)
    if (object === undefined) {
      if (old !== undefined) remove(resource, seen)
      return
    }
    // An object with the same name and another uid is no new version of the old one.
    if (old !== undefined && old.metadata.uid !== object.metadata.uid) remove(resource, old)
    const present = tableOf(resource).get(objectKeyOf(object))
    apply({
      type: present === undefined ? "ADDED" : "MODIFIED",
      resource,
      object,
      old: present,
      resourceVersion: resourceVersionOf(object)
    })
  }
  const remove = (resource: GroupResource, object: KubeObject): void => {
    const old = tableOf(resource).get(objectKeyOf(object))
    if (old === undefined || resourceVersionOf(object) < resourceVersionOf(old)) return
    apply({ type: "DELETED", resource, object: old, old, resourceVersion: resourceVersionOf(object) })
  }
  return {
    view,
    change: putIfNewer,
    remove,
    refresh: (resource, object) => {
      const present = tableOf(resource).get(objectKeyOf(object))
      if (present?.metadata.resourceVersion === object.metadata.resourceVersion) put(resource, object)
    },
    applyWriteAnswer: (resource, object) => {
      if (tableOf(resource).get(objectKeyOf(object))?.metadata.uid === object.metadata.uid)
        putIfNewer(resource, object)
    },
    replace: ({ resource, namespace }, { items, resourceVersion }) => {
      const listed = new Set(items.map(objectKeyOf))
      for (const old of tableOf(resource).values()) {
        const isInScope = namespace === undefined || old.metadata.namespace === namespace
        if (isInScope && !listed.has(objectKeyOf(old)) && resourceVersionOf(old) <= Number(resourceVersion))
          apply({
            type: "DELETED",
            resource,
            object: old,
            old,
            resourceVersion: Number(resourceVersion)
          })
      }
      for (const object of items) putIfNewer(resource, object)
    }
  }
}
