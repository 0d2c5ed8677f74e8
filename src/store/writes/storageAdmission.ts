import { resources } from "../../kubernetes/meta/kinds.ts"
import { defaultStorageClass, namesStorageClass } from "../../kubernetes/storage/storageClasses.ts"
import {
  claimProtection,
  volumeProtection,
  withFinalizer
} from "../../kubernetes/storage/storageProtection.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolumeClaim, StorageClass } from "../../kubernetes/storage/storageTypes.ts"

/**
 * Admission of claims and volumes: their finalizers, and the default class of a claim that names none.
 *
 * Source: plugin/pkg/admission/storage (storageobjectinuseprotection, storageclass/setdefault).
 */
export const withStorageDefaults = <O extends KubeObject>(
  resource: GroupResource,
  object: O,
  all: (resource: GroupResource) => Iterable<KubeObject>
): O => {
  if (resource === resources.persistentVolumes) return withFinalizer(object, volumeProtection)
  if (resource !== resources.persistentVolumeClaims) return object
  const claim = withFinalizer(object, claimProtection)
  const { spec } = claim as Partial<PersistentVolumeClaim>
  if (spec === undefined || namesStorageClass(claim as unknown as PersistentVolumeClaim)) return claim
  const defaultClass = defaultStorageClass(all(resources.storageClasses) as Iterable<StorageClass>)
  return defaultClass === undefined
    ? claim
    : { ...claim, spec: { ...spec, storageClassName: defaultClass.metadata.name } }
}
