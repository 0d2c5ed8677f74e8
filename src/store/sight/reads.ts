import type { ClusterView } from "../objectStore.ts"

type View = ClusterView["Service"]

/** The synchronous reads of a view. */
export type Reads = Pick<
  View,
  "get" | "all" | "dependents" | "controlled" | "orphans" | "pods" | "nodePods" | "kinds" | "version"
> & { readonly quotas: Omit<View["quotas"], "subscribe"> }

/** Reads that go to one of several views. Methods taken out earlier switch, too. */
export const makeReads = (first: View): { readonly reads: Reads; readonly turnTo: (view: View) => void } => {
  let now = first
  const reads: Reads = {
    get: (resource, key) => now.get(resource, key),
    all: (resource) => now.all(resource),
    dependents: (ownerUid) => now.dependents(ownerUid),
    controlled: (resource, ownerUid) => now.controlled(resource, ownerUid),
    orphans: (resource, namespace) => now.orphans(resource, namespace),
    version: () => now.version(),
    pods: {
      counts: (wanted) => now.pods.counts(wanted),
      total: (ownerUid) => now.pods.total(ownerUid),
      unfinished: (ownerUid) => now.pods.unfinished(ownerUid),
      hasStrangers: (ownerUid, selector) => now.pods.hasStrangers(ownerUid, selector),
      firstToDelete: (wanted) => now.pods.firstToDelete(wanted)
    },
    nodePods: {
      on: (nodeName) => now.nodePods.on(nodeName),
      load: (nodeName) => now.nodePods.load(nodeName)
    },
    quotas: {
      status: (key) => now.quotas.status(key),
      nextReleaseMillis: (namespace) => now.quotas.nextReleaseMillis(namespace)
    },
    kinds: {
      ofObject: (object) => now.kinds.ofObject(object),
      ofServed: (object) => now.kinds.ofServed(object),
      ofResource: (resource) => now.kinds.ofResource(resource),
      served: () => now.kinds.served(),
      custom: () => now.kinds.custom()
    }
  }
  return {
    reads,
    turnTo: (view) => {
      now = view
    }
  }
}
