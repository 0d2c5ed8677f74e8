import { canonicalAmounts } from "./containerDefaults.ts"
import { changeValue, fillField, fillComputed, fillPointer, type FieldDefault } from "./fieldDefaults.ts"

/** Source: pkg/apis/core/v1/defaults.go, pkg/apis/storage/v1/defaults.go. */

/** `prefix`: where the claim is, as in `spec.volumeClaimTemplates[].`. */
export const claimDefaults = (prefix: string): ReadonlyArray<FieldDefault> => [
  fillField(`${prefix}spec`, {}),
  fillPointer(`${prefix}spec.volumeMode`, "Filesystem"),
  changeValue(`${prefix}spec.resources.requests`, canonicalAmounts),
  changeValue(`${prefix}spec.resources.limits`, canonicalAmounts)
]

const volumeSourceDefaults: ReadonlyArray<FieldDefault> = [
  fillField("spec.hostPath.type", ""),
  fillField("spec.iscsi.iscsiInterface", "default"),
  fillField("spec.rbd.pool", "rbd"),
  fillField("spec.rbd.user", "admin"),
  fillField("spec.rbd.keyring", "/etc/ceph/keyring"),
  fillField("spec.azureDisk.cachingMode", "ReadWrite"),
  fillField("spec.azureDisk.kind", "Shared"),
  fillField("spec.azureDisk.fsType", "ext4"),
  fillField("spec.azureDisk.readOnly", false),
  fillField("spec.scaleIO.storageMode", "ThinProvisioned"),
  fillField("spec.scaleIO.fsType", "xfs")
]

export const volumeDefaults: Readonly<Record<string, ReadonlyArray<FieldDefault>>> = {
  "/PersistentVolumeClaim": claimDefaults(""),
  "/PersistentVolume": [
    fillField("spec", {}),
    fillField("spec.persistentVolumeReclaimPolicy", "Retain"),
    fillPointer("spec.volumeMode", "Filesystem"),
    changeValue("spec.capacity", canonicalAmounts),
    ...volumeSourceDefaults
  ],
  "storage.k8s.io/StorageClass": [
    fillPointer("reclaimPolicy", "Delete"),
    fillPointer("volumeBindingMode", "Immediate")
  ],
  "storage.k8s.io/CSIDriver": [
    fillField("spec", {}),
    fillField("spec.attachRequired", true),
    fillField("spec.podInfoOnMount", false),
    fillField("spec.storageCapacity", false),
    fillField("spec.fsGroupPolicy", "ReadWriteOnceWithFSType"),
    fillField("spec.volumeLifecycleModes", ["Persistent"]),
    fillField("spec.requiresRepublish", false),
    fillField("spec.seLinuxMount", false)
  ],
  // Unlike Kubernetes, `drivers` has a default, because the published schema requires the field.
  "storage.k8s.io/CSINode": [
    fillField("spec", {}),
    fillComputed("spec.drivers", ({ drivers }) => (Array.isArray(drivers) ? undefined : []))
  ]
}
