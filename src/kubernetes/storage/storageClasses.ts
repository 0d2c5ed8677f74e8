import { hasAnnotation, storageAnnotations } from "./storageTypes.ts"
import type { Draft } from "../meta/objects.ts"
import type { StorageClass } from "./storageTypes.ts"

interface ObjectWithStorageClass extends Pick<Draft, "metadata"> {
  readonly spec: { readonly storageClassName?: string }
}

/** Source: helper/helpers.go (GetPersistentVolumeClaimClass, GetPersistentVolumeClass). */
export const storageClassNameOf = ({ metadata, spec }: ObjectWithStorageClass): string =>
  metadata.annotations?.[storageAnnotations.betaClass] ?? spec.storageClassName ?? ""

/** The empty name counts: it asks for a volume without a class. */
export const namesStorageClass = (claim: ObjectWithStorageClass): boolean =>
  hasAnnotation(claim, storageAnnotations.betaClass) || claim.spec.storageClassName !== undefined

/** The provisioner of classes whose volumes are made by hand. */
export const noProvisioner = "kubernetes.io/no-provisioner"

/** Of several defaults the newest wins, then the first by name. Source: storageclass.go (GetDefaultClass). */
export const defaultStorageClass = (classes: Iterable<StorageClass>): StorageClass | undefined => {
  let best: StorageClass | undefined
  for (const it of classes) {
    if (isDefaultStorageClass(it) && (best === undefined || isNewerOrFirstByName(it, best))) best = it
  }
  return best
}

export const isDefaultStorageClass = ({ metadata }: Pick<Draft, "metadata">): boolean =>
  metadata.annotations?.[storageAnnotations.defaultClass] === "true" ||
  metadata.annotations?.[storageAnnotations.betaDefaultClass] === "true"

const isNewerOrFirstByName = (a: StorageClass, b: StorageClass): boolean => {
  const [createdA, createdB] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  return createdA === createdB ? a.metadata.name < b.metadata.name : createdA > createdB
}

export const delaysBinding = (storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === "WaitForFirstConsumer"

/** The class that every cluster has, as in kind. Source: kind's const_storage.go. */
export const standardStorageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { [storageAnnotations.defaultClass]: "true" } },
  provisioner: "rancher.io/local-path",
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer"
} as const
