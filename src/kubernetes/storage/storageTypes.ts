import type * as Core from "kubernetes-types/core/v1.js"
import type * as Storage from "kubernetes-types/storage/v1.js"
import type { Draft, KubeObject } from "../meta/objects.ts"

export interface PersistentVolume extends KubeObject {
  readonly spec: Readonly<Core.PersistentVolumeSpec>
  readonly status?: Readonly<Core.PersistentVolumeStatus>
}

export interface PersistentVolumeClaim extends KubeObject {
  readonly spec: Readonly<Core.PersistentVolumeClaimSpec>
  readonly status?: Readonly<Core.PersistentVolumeClaimStatus>
}

export interface StorageClass
  extends KubeObject, Readonly<Omit<Storage.StorageClass, "apiVersion" | "kind" | "metadata">> {}

/** Source: pv_helpers.go, storageclass.go. */
export const storageAnnotations = {
  /** The claim was bound once. */
  bindCompleted: "pv.kubernetes.io/bind-completed",
  /** The controller, not a user, chose the other side of the binding. */
  boundByController: "pv.kubernetes.io/bound-by-controller",
  provisionedBy: "pv.kubernetes.io/provisioned-by",
  selectedNode: "volume.kubernetes.io/selected-node",
  provisioner: "volume.kubernetes.io/storage-provisioner",
  betaProvisioner: "volume.beta.kubernetes.io/storage-provisioner",
  /** This annotation replaces `spec.storageClassName`. */
  betaClass: "volume.beta.kubernetes.io/storage-class",
  defaultClass: "storageclass.kubernetes.io/is-default-class",
  betaDefaultClass: "storageclass.beta.kubernetes.io/is-default-class"
} as const

export const hasAnnotation = ({ metadata }: Pick<Draft, "metadata">, name: string): boolean =>
  metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, name)

export const withAnnotations = <O extends KubeObject>(
  object: O,
  annotations: Readonly<Record<string, string>>
): O => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } }
})
