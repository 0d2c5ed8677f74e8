import { storageClassNameOf, standardStorageClass } from "./storageClasses.ts"
import { hasAnnotation, storageAnnotations } from "./storageTypes.ts"
import { claimReference } from "./volumeWrites.ts"
import type { Draft, Node } from "../meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "./storageTypes.ts"

export const localPathProvisioner = standardStorageClass.provisioner

export const provisionedVolumeName = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata.uid}`

/** Source: sigs.k8s.io/sig-storage-lib-external-provisioner, controller/controller.go (shouldProvision). */
export const awaitsLocalPathProvisioner = (
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined
): boolean =>
  (claim.spec.volumeName ?? "") === "" &&
  requestedProvisioner(claim) === localPathProvisioner &&
  storageClass?.provisioner === localPathProvisioner &&
  (storageClass.volumeBindingMode !== "WaitForFirstConsumer" ||
    hasAnnotation(claim, storageAnnotations.selectedNode))

/** Controller managers before 1.23 write the beta annotation alone. */
const requestedProvisioner = ({ metadata: { annotations } }: PersistentVolumeClaim): string | undefined =>
  annotations?.[storageAnnotations.betaProvisioner] ?? annotations?.[storageAnnotations.provisioner]

/**
 * Source: local-path-provisioner's provisioner.go (provisionFor), sig-storage-lib-external-provisioner
 * (provisionClaimOperation).
 */
export const localPathProvisionerRefusal = (
  { spec }: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: Node | undefined
): string | undefined => {
  if (isShared(storageClass)) return undefined
  if (spec.volumeMode === "Block") return `${localPathProvisioner} does not support block volume provisioning`
  const why = provisioningRefusal(spec, node)
  return why === undefined
    ? undefined
    : `failed to provision volume with StorageClass ${JSON.stringify(storageClass.metadata.name)}: ${why}`
}

/** The real provisioner reads `sharedFileSystemPath` from its configuration. */
const isShared = ({ parameters }: StorageClass): boolean => parameters?.["sharedFileSystemPath"] !== undefined

const provisioningRefusal = (
  spec: PersistentVolumeClaim["spec"],
  node: Node | undefined
): string | undefined => {
  if (spec.selector !== undefined) return "claim.Spec.Selector is not supported"
  if (!(spec.accessModes ?? []).every((mode) => mode === "ReadWriteOnce" || mode === "ReadWriteOncePod"))
    return "NodePath only supports ReadWriteOnce and ReadWriteOncePod (1.22+) access modes"
  return node === undefined ? "configuration error, no node was specified" : undefined
}

export const localPathVolume = (
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: Node
): Draft & Pick<PersistentVolume, "spec"> => {
  const name = provisionedVolumeName(claim)
  const { namespace = "", name: claimName } = claim.metadata
  const hostname = node.metadata.labels?.["kubernetes.io/hostname"] ?? node.metadata.name
  const hostnameRequirement = { key: "kubernetes.io/hostname", operator: "In", values: [hostname] }
  const { reclaimPolicy = "Delete", mountOptions } = storageClass
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name,
      annotations: {
        "local.path.provisioner/selected-node": node.metadata.name,
        [storageAnnotations.provisionedBy]: localPathProvisioner
      }
    },
    spec: {
      capacity: { storage: claim.spec.resources?.requests?.["storage"] ?? "0" },
      hostPath: {
        path: `/var/local-path-provisioner/${name}_${namespace}_${claimName}`,
        type: "DirectoryOrCreate"
      },
      accessModes: [...(claim.spec.accessModes ?? [])],
      claimRef: claimReference(claim),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClassNameOf(claim),
      ...(mountOptions === undefined ? {} : { mountOptions }),
      volumeMode: "Filesystem",
      ...(isShared(storageClass)
        ? {}
        : {
            nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [hostnameRequirement] }] } }
          })
    }
  }
}

export const isDeletedByLocalPathProvisioner = ({ metadata, spec, status }: PersistentVolume): boolean =>
  metadata.annotations?.[storageAnnotations.provisionedBy] === localPathProvisioner &&
  spec.persistentVolumeReclaimPolicy === "Delete" &&
  metadata.deletionTimestamp === undefined &&
  (status?.phase === "Released" || status?.phase === "Failed")
