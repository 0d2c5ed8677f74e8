import { hasOtherVolumeMode } from "./claimVolumes.ts"
import { hasAnnotation, storageAnnotations } from "./storageTypes.ts"
import type { StorageEvent } from "./claimSteps.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "./storageTypes.ts"

type VolumeStep =
  | { readonly type: "setPhase"; readonly phase: "Available" | "Bound" }
  /** The claim is not bound yet. */
  | { readonly type: "lookAtClaim" }
  | { readonly type: "refuse"; readonly volumeEvent: StorageEvent; readonly claimEvent: StorageEvent }
  | { readonly type: "release" }
  | { readonly type: "unbind" }

/** Source: pv_controller.go (syncVolume). */
export const volumeStep = (
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined
): VolumeStep => {
  const { claimRef } = volume.spec
  // Without a uid, `claimRef` only reserves the volume.
  if (claimRef === undefined || (claimRef.uid ?? "") === "") return { type: "setPhase", phase: "Available" }
  if (claim === undefined || claim.metadata.uid !== claimRef.uid) return { type: "release" }
  const { volumeName = "" } = claim.spec
  if (volumeName === volume.metadata.name) return { type: "setPhase", phase: "Bound" }
  // The claim has another volume. One that was provisioned for the claim is reclaimed.
  if (volumeName !== "") return isProvisionedAndDeletable(volume) ? { type: "release" } : { type: "unbind" }
  return hasOtherVolumeMode(volume, claim) ? volumeModeRefusal(volume, claim) : { type: "lookAtClaim" }
}

const isProvisionedAndDeletable = (volume: PersistentVolume): boolean =>
  hasAnnotation(volume, storageAnnotations.provisionedBy) && reclaimPolicyOf(volume) === "Delete"

const reclaimPolicyOf = ({ spec }: PersistentVolume): string => spec.persistentVolumeReclaimPolicy ?? "Retain"

const volumeModeRefusal = (volume: PersistentVolume, claim: PersistentVolumeClaim): VolumeStep => {
  const mismatch = { eventType: "Warning", reason: "VolumeMismatch" } as const
  const [volumeName, claimName] = [volume.metadata.name, claim.metadata.name].map((it) => JSON.stringify(it))
  const why = "due to incompatible volumeMode."
  return {
    type: "refuse",
    volumeEvent: {
      ...mismatch,
      message: `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimName} ${why}`
    },
    claimEvent: {
      ...mismatch,
      message: `Cannot bind PersistentVolume ${volumeName} to requested PersistentVolumeClaim ${why}`
    }
  }
}

type ReclaimOutcome =
  | { readonly type: "keep" }
  | { readonly type: "delete" }
  | { readonly type: "recycle"; readonly event: StorageEvent }
  | { readonly type: "fail"; readonly event: StorageEvent }

/**
 * Unlike Kubernetes, a volume is recycled at once: there is nothing to scrub. Source: pv_controller.go
 * (reclaimVolume), host_path.go (Delete).
 */
export const reclaimOutcome = (volume: PersistentVolume): ReclaimOutcome => {
  const policy = reclaimPolicyOf(volume)
  switch (policy) {
    case "Retain":
      return { type: "keep" }
    case "Recycle": {
      const isRecyclable = volume.spec.hostPath !== undefined || volume.spec.nfs !== undefined
      const event = { eventType: "Normal", reason: "VolumeRecycled", message: "Volume recycled" } as const
      return isRecyclable
        ? { type: "recycle", event }
        : failedReclaim("VolumeFailedRecycle", "No recycler plugin found for the volume!")
    }
    case "Delete":
      return hasAnnotation(volume, storageAnnotations.provisionedBy)
        ? { type: "keep" }
        : deletionOutcome(volume)
    default:
      return failedReclaim(
        "VolumeUnknownReclaimPolicy",
        "Volume has unrecognized PersistentVolumeReclaimPolicy"
      )
  }
}

const failedReclaim = (reason: string, message: string): ReclaimOutcome => ({
  type: "fail",
  event: { eventType: "Warning", reason, message }
})

const deletionOutcome = ({ metadata, spec }: PersistentVolume): ReclaimOutcome => {
  const { hostPath } = spec
  if (hostPath === undefined) {
    const why = "no deletable volume plugin matched"
    const name = JSON.stringify(metadata.name)
    return failedReclaim(
      "VolumeFailedDelete",
      `error getting deleter volume plugin for volume ${name}: ${why}`
    )
  }
  return /^\/tmp\/.+/.test(hostPath.path)
    ? { type: "delete" }
    : failedReclaim(
        "VolumeFailedDelete",
        `host_path deleter only supports /tmp/.+ but received provided ${hostPath.path}`
      )
}
