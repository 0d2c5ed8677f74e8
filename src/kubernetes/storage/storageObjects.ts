import type { Key, Pod } from "../meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "./storageTypes.ts"

export interface StorageObjects {
  readonly claim: (key: Key) => PersistentVolumeClaim | undefined
  readonly volume: (name: string) => PersistentVolume | undefined
  readonly volumes: () => Iterable<PersistentVolume>
  readonly storageClass: (name: string) => StorageClass | undefined
  /** Limits by CSI driver; drivers without a limit are left out. */
  readonly volumeLimits: (nodeName: string) => ReadonlyMap<string, number>
  readonly podsUsing: (claimKey: Key) => ReadonlyArray<Pod>
}
