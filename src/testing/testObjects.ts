import { allOrFirstError } from "../client/allOrFirstError.ts"
import { kindOfResource, resources } from "../kubernetes/meta/kinds.ts"
import type { EventObject } from "../kubernetes/meta/objects.ts"
import type { GroupResource } from "../kubernetes/meta/kinds.ts"
import type { ListQuery, ObjectAddress } from "../cluster/calls/callOptions.ts"
import type { ObjectList } from "../store/objectStore.ts"
import type { ObjectOf } from "../kubernetes/meta/resourceTypes.ts"
import type { RemoteCluster } from "../client/remoteCluster.ts"
import type { TestOwnership } from "./testOwnership.ts"
import type { UntypedObjectCalls } from "../cluster/calls/clusterCalls.ts"

export type TestObjectCalls = Pick<
  UntypedObjectCalls<"promise">,
  "apply" | "create" | "update" | "get" | "list" | "watch" | "patch" | "delete" | "events"
>

/** Calls on the objects of a test in a real cluster, of which it writes to its own alone. */
export const testObjectCalls = (remote: RemoteCluster, ownership: TestOwnership): TestObjectCalls => {
  const { namespaceOf } = ownership
  const withTestNamespace = (address: ObjectAddress): ObjectAddress => ({
    ...address,
    namespace: namespaceOf(address.namespace)
  })
  const list = async <R extends GroupResource>(
    resource: R,
    listOptions: ListQuery = {}
  ): Promise<ObjectList<ObjectOf<R>>> => {
    if (!(await remote.isNamespaced(resource))) return remote.list(resource, listOptions)
    const namespaces =
      listOptions.namespace === undefined ? ownership.namespaces() : [namespaceOf(listOptions.namespace)]
    const lists = await allOrFirstError(
      namespaces.map((it) => remote.list(resource, { ...listOptions, namespace: it }))
    )
    return {
      items: lists.flatMap(({ items }) => items),
      resourceVersion: lists.at(-1)?.resourceVersion ?? ""
    }
  }
  return {
    apply: async (manifest) => {
      await ownership.requireWritable(manifest)
      return ownership.recordApplied(await remote.apply(manifest))
    },
    create: async (draft) => {
      ownership.requireOwnNamespace(draft.metadata?.namespace)
      return ownership.recordCreated(await remote.create(ownership.inTestNamespace(draft)))
    },
    get: (it) => remote.get({ ...it, namespace: namespaceOf(it.namespace) }),
    list,
    watch: (resource, watchOptions = {}) => {
      if (resource === undefined) throw new TypeError("a real cluster is watched one resource at a time")
      const namespaced = kindOfResource(resource)?.namespaced !== false
      return remote.watch(resource, {
        ...watchOptions,
        ...(namespaced ? { namespace: namespaceOf(watchOptions.namespace) } : {})
      })
    },
    update: async (object, target) => {
      const { namespace: requestedNamespace, name = "" } = object.metadata
      const resource = await remote.resourceOf(object)
      await ownership.requireOwnObject({
        resource,
        name,
        ...(requestedNamespace === undefined ? {} : { namespace: requestedNamespace })
      })
      return remote.update(ownership.inTestNamespace(object), target)
    },
    patch: async (it, patch, patchOptions) => {
      await ownership.requireOwnObject(it)
      return remote.patch(withTestNamespace(it), patch, patchOptions)
    },
    delete: async (it, request) => {
      await ownership.requireOwnObject(it)
      return remote.delete(withTestNamespace(it), request)
    },
    events: async (about) => {
      const { items } = await list(resources.events)
      return items.filter((it: EventObject) => about === undefined || it.involvedObject?.uid === about.uid)
    }
  }
}
