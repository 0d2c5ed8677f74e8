import type { Key, Pod } from "../meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "./storageTypes.ts"

/** The storage of a cluster, as far as placement and the controllers of claims and volumes read it. */
export interface StorageObjects {
  /** A claim by `namespace/name`. */
  readonly claim: (key: Key) => PersistentVolumeClaim | undefined
  readonly volume: (name: string) => PersistentVolume | undefined
  readonly volumes: () => Iterable<PersistentVolume>
  readonly storageClass: (name: string) => StorageClass | undefined
  /** How many volumes a node takes, by the CSI driver; drivers without a limit are left out. */
  readonly volumeLimits: (nodeName: string) => ReadonlyMap<string, number>
  /** The Pods that use a claim by `namespace/name`. */
  readonly podsUsing: (key: Key) => ReadonlyArray<Pod>
}
