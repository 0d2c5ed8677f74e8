import type * as Core from "kubernetes-types/core/v1.js"
import type * as Storage from "kubernetes-types/storage/v1.js"
import type { KubeObject } from "../meta/objects.ts"

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

/**
 * Annotations of claims, volumes and storage classes.
 * Source: staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go, pkg/volume/util/storageclass.go.
 */
export const storageAnnotations = {
  /** Of a claim: it was bound once. */
  bindCompleted: "pv.kubernetes.io/bind-completed",
  /** Of a claim or a volume: the controller chose the volume or the claim that it is bound to, not a user. */
  boundByController: "pv.kubernetes.io/bound-by-controller",
  /** Of a volume: which provisioner made it. */
  provisionedBy: "pv.kubernetes.io/provisioned-by",
  /** Of a claim: the node on which the scheduler wants its volume. */
  selectedNode: "volume.kubernetes.io/selected-node",
  /** Of a claim: which provisioner is asked for a volume. */
  provisioner: "volume.kubernetes.io/storage-provisioner",
  betaProvisioner: "volume.beta.kubernetes.io/storage-provisioner",
  /** Of a claim or a volume, in place of `spec.storageClassName`. */
  betaClass: "volume.beta.kubernetes.io/storage-class",
  defaultClass: "storageclass.kubernetes.io/is-default-class",
  betaDefaultClass: "storageclass.beta.kubernetes.io/is-default-class"
} as const

export const hasAnnotation = ({ metadata }: KubeObject, name: string): boolean =>
  metadata.annotations !== undefined && Object.hasOwn(metadata.annotations, name)

export const withAnnotations = <O extends KubeObject>(
  object: O,
  annotations: Readonly<Record<string, string>>
): O => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } }
})
