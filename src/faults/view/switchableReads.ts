import type { ClusterView } from "../../store/objectStore.ts"

type View = ClusterView["Service"]

export type SwitchableReads = Pick<
  View,
  "get" | "all" | "dependents" | "controlled" | "orphans" | "pods" | "nodePods" | "kinds" | "version"
> & { readonly quotas: Omit<View["quotas"], "subscribe"> }

/** Reads that go to one of several views. Methods taken out earlier switch, too. */
export const makeSwitchableReads = (
  first: View
): { readonly reads: SwitchableReads; readonly switchTo: (view: View) => void } => {
  let current = first
  const reads: SwitchableReads = {
    get: (resource, key) => current.get(resource, key),
    all: (resource) => current.all(resource),
    dependents: (ownerUid) => current.dependents(ownerUid),
    controlled: (resource, ownerUid) => current.controlled(resource, ownerUid),
    orphans: (resource, namespace) => current.orphans(resource, namespace),
    version: () => current.version(),
    pods: {
      counts: (wanted) => current.pods.counts(wanted),
      total: (ownerUid) => current.pods.total(ownerUid),
      unfinished: (ownerUid) => current.pods.unfinished(ownerUid),
      hasUnselectedPods: (ownerUid, selector) => current.pods.hasUnselectedPods(ownerUid, selector),
      firstToDelete: (wanted) => current.pods.firstToDelete(wanted)
    },
    nodePods: {
      on: (nodeName) => current.nodePods.on(nodeName),
      load: (nodeName) => current.nodePods.load(nodeName)
    },
    quotas: {
      status: (key) => current.quotas.status(key),
      nextReleaseMillis: (namespace) => current.quotas.nextReleaseMillis(namespace)
    },
    kinds: {
      ofObject: (object) => current.kinds.ofObject(object),
      ofServed: (object) => current.kinds.ofServed(object),
      ofResource: (resource) => current.kinds.ofResource(resource),
      served: () => current.kinds.served(),
      custom: () => current.kinds.custom()
    }
  }
  return {
    reads,
    switchTo: (view) => {
      current = view
    }
  }
}
