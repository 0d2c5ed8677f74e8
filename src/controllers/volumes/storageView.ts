import { resources } from "../../kubernetes/meta/kinds.ts"
import { storageObjectsOf } from "../../store/placementInput.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { VolumeLookup } from "../../kubernetes/storage/attachments.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { StorageFacts } from "../../kubernetes/storage/claimSteps.ts"

export const storageFactsOf = (view: ClusterView["Service"]): StorageFacts => ({
  ...storageObjectsOf(view),
  storageClasses: () => view.all(resources.storageClasses)
})

/** A volume has to be attached unless its CSIDriver says otherwise. */
export const isAttachableIn =
  (view: ClusterView["Service"]) =>
  (driver: string): boolean => {
    const object = view.get("csidrivers.storage.k8s.io", driver)
    const spec = object !== undefined && "spec" in object ? object.spec : undefined
    return (spec as { readonly attachRequired?: boolean } | undefined)?.attachRequired !== false
  }

export const volumeLookupIn = (view: ClusterView["Service"]): VolumeLookup => ({
  claim: (key: Key) => view.get(resources.persistentVolumeClaims, key),
  volume: (name) => view.get(resources.persistentVolumes, name),
  isAttachable: isAttachableIn(view)
})
