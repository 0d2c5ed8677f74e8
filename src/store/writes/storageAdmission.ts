import { withFinalizer } from "../../kubernetes/meta/deletion.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { parseQuantity } from "../../kubernetes/meta/amounts/quantity.ts"
import {
  defaultStorageClass,
  namesStorageClass,
  storageClassNameOf
} from "../../kubernetes/storage/storageClasses.ts"
import {
  claimProtectionFinalizer,
  volumeProtectionFinalizer
} from "../../kubernetes/storage/storageProtection.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Key, KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolumeClaim, StorageClass } from "../../kubernetes/storage/storageTypes.ts"

/** Source: plugin/pkg/admission/storage (storageobjectinuseprotection, storageclass/setdefault). */
export const withStorageDefaults = <O extends KubeObject>(
  resource: GroupResource,
  object: O,
  all: (resource: GroupResource) => Iterable<KubeObject>
): O => {
  if (resource === resources.persistentVolumes) return withFinalizer(object, volumeProtectionFinalizer)
  if (resource !== resources.persistentVolumeClaims) return object
  const claim = withFinalizer(object, claimProtectionFinalizer)
  const { spec } = claim as Partial<PersistentVolumeClaim>
  if (spec === undefined || namesStorageClass(claim as unknown as PersistentVolumeClaim)) return claim
  const defaultClass = defaultStorageClass(all(resources.storageClasses) as Iterable<StorageClass>)
  return defaultClass === undefined
    ? claim
    : { ...claim, spec: { ...spec, storageClassName: defaultClass.metadata.name } }
}

/** Source: plugin/pkg/admission/storage/persistentvolume/resize/admission.go. */
export const claimGrowthRefusal = (
  next: KubeObject,
  old: KubeObject,
  get: (resource: GroupResource, key: Key) => KubeObject | undefined
): string | undefined => {
  const [claim, stored] = [next as PersistentVolumeClaim, old as PersistentVolumeClaim]
  if (requestedNanos(claim) <= requestedNanos(stored)) return undefined
  const name = storageClassNameOf(claim)
  const storageClass =
    name === "" || name !== storageClassNameOf(stored)
      ? undefined
      : (get(resources.storageClasses, name) as StorageClass | undefined)
  if (storageClass?.allowVolumeExpansion === true) return undefined
  return (
    "only dynamically provisioned pvc can be resized and " +
    "the storageclass that provisions the pvc must support resize"
  )
}

const requestedNanos = ({ spec }: PersistentVolumeClaim): bigint =>
  parseQuantity(spec.resources?.requests?.["storage"] ?? "0")?.nanos ?? 0n
