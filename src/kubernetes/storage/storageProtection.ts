import { isTerminating } from "../meta/deletion.ts"
import type { KubeObject, Pod } from "../meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "./storageTypes.ts"

/**
 * Source: storageobjectinuseprotection/admission.go, pkg/controller/volume/pvcprotection,
 * pkg/controller/volume/pvprotection.
 */
export const claimProtectionFinalizer = "kubernetes.io/pvc-protection"
export const volumeProtectionFinalizer = "kubernetes.io/pv-protection"

/** A Pod without a node cannot start with a terminating claim. */
export const isClaimUnprotected = (claim: PersistentVolumeClaim, pods: ReadonlyArray<Pod>): boolean =>
  isTerminating(claim) &&
  hasFinalizer(claim, claimProtectionFinalizer) &&
  pods.every(({ spec }) => (spec.nodeName ?? "") === "")

export const isVolumeUnprotected = (volume: PersistentVolume): boolean =>
  isTerminating(volume) && hasFinalizer(volume, volumeProtectionFinalizer) && volume.status?.phase !== "Bound"

const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) === true
