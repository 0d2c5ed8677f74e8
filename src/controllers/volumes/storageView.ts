import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { StorageFacts } from "../../kubernetes/storage/claimSteps.ts"

/** What the rules of storage read, from a view of the cluster. */
export const storageFactsOf = (view: ClusterView["Service"]): StorageFacts => ({
  volume: (name) => view.get(resources.persistentVolumes, name),
  volumes: () => view.all(resources.persistentVolumes),
  storageClass: (name) => view.get(resources.storageClasses, name),
  storageClasses: () => view.all(resources.storageClasses),
  podsUsing: (claim) => view.claimPods.using(objectKeyOf(claim))
})
