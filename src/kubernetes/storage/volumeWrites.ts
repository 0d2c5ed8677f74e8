import { isVolumeOfClaim } from "./claimVolumes.ts"
import { hasAnnotation, storageAnnotations, withAnnotations } from "./storageTypes.ts"
import { isSemanticallyEqual } from "../meta/semanticEquality.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "./storageTypes.ts"

/**
 * Each function returns the same object if nothing changes. Source: pv_helpers.go (GetBindVolumeToClaim),
 * pv_controller.go (bindClaimToVolume, unbindVolume).
 */

/** A volume reserved for the claim is not marked as bound by the controller: unbinding keeps the reservation. */
export const volumeBoundTo = (volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume => {
  const { claimRef } = volume.spec
  const { name, namespace, uid } = claim.metadata
  const refersToClaim = claimRef?.name === name && claimRef.namespace === namespace && claimRef.uid === uid
  const bound = refersToClaim
    ? volume
    : { ...volume, spec: { ...volume.spec, claimRef: claimReference(claim) } }
  return isVolumeOfClaim(volume, claim)
    ? bound
    : withYesAnnotation(bound, storageAnnotations.boundByController)
}

export const claimReference = ({ metadata }: PersistentVolumeClaim) => ({
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
  uid: metadata.uid,
  resourceVersion: metadata.resourceVersion
})

const withYesAnnotation = <O extends PersistentVolume | PersistentVolumeClaim>(
  object: O,
  annotation: string
): O => (hasAnnotation(object, annotation) ? object : withAnnotations(object, { [annotation]: "yes" }))

export const claimBoundTo = (
  claim: PersistentVolumeClaim,
  { metadata }: PersistentVolume
): PersistentVolumeClaim => {
  const bound =
    claim.spec.volumeName === metadata.name
      ? claim
      : withYesAnnotation(
          { ...claim, spec: { ...claim.spec, volumeName: metadata.name } },
          storageAnnotations.boundByController
        )
  return withYesAnnotation(bound, storageAnnotations.bindCompleted)
}

export const withBoundStatus = (
  claim: PersistentVolumeClaim,
  { spec }: Pick<PersistentVolume, "spec">
): PersistentVolumeClaim => {
  const { status = {} } = claim
  const wasUnbound = status.phase !== "Bound"
  if (!wasUnbound && isSemanticallyEqual(status.accessModes, spec.accessModes)) return claim
  const capacity = wasUnbound ? spec.capacity : status.capacity
  return {
    ...claim,
    status: {
      ...status,
      phase: "Bound",
      ...(spec.accessModes === undefined ? {} : { accessModes: spec.accessModes }),
      ...(capacity === undefined ? {} : { capacity })
    }
  }
}

export const withUnboundStatus = (
  claim: PersistentVolumeClaim,
  phase: "Pending" | "Lost"
): PersistentVolumeClaim => {
  const { accessModes, capacity, ...status } = claim.status ?? {}
  return status.phase === phase && accessModes === undefined && capacity === undefined
    ? claim
    : { ...claim, status: { ...status, phase } }
}

export const withVolumePhase = (volume: PersistentVolume, phase: string, message = ""): PersistentVolume => {
  const { message: _message, ...status } = volume.status ?? {}
  if (status.phase === phase) return volume
  return { ...volume, status: { ...status, phase, ...(message === "" ? {} : { message }) } }
}

/** A reserved volume only loses the claim's uid. */
export const unboundVolume = (volume: PersistentVolume): PersistentVolume => {
  const { claimRef, ...spec } = volume.spec
  if (!hasAnnotation(volume, storageAnnotations.boundByController)) {
    if (claimRef?.uid === undefined) return volume
    const { uid: _uid, ...reserved } = claimRef
    return { ...volume, spec: { ...spec, claimRef: reserved } }
  }
  const { [storageAnnotations.boundByController]: _mark, ...annotations } = volume.metadata.annotations ?? {}
  const { annotations: _annotations, ...metadata } = volume.metadata
  return {
    ...volume,
    spec,
    metadata: Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations }
  }
}
