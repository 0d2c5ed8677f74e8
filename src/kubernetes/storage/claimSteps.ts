import { chooseVolume, isVolumeOfClaim, volumeMismatch } from "./claimVolumes.ts"
import {
  defaultStorageClass,
  delaysBinding,
  namesStorageClass,
  storageClassNameOf
} from "./storageClasses.ts"
import { hasAnnotation, storageAnnotations } from "./storageTypes.ts"
import { objectKeyOf } from "../meta/objects.ts"
import type { Pod } from "../meta/objects.ts"
import type { StorageObjects } from "./storageObjects.ts"
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "./storageTypes.ts"

export type StorageFacts = Pick<StorageObjects, "volume" | "volumes" | "storageClass" | "podsUsing"> & {
  readonly storageClasses: () => Iterable<StorageClass>
}

export interface StorageEvent {
  readonly eventType: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
}

type ClaimStep =
  | { readonly type: "bind"; readonly volume: PersistentVolume }
  | { readonly type: "wait"; readonly event?: StorageEvent }
  /** The claim was bound and has lost its volume. */
  | { readonly type: "lose"; readonly event: StorageEvent }
  | { readonly type: "assignClass"; readonly className: string }
  | { readonly type: "requestProvisioning"; readonly provisioner: string }

/** Source: pv_controller.go (syncUnboundClaim, syncBoundClaim). */
export const claimStep = (claim: PersistentVolumeClaim, facts: StorageFacts): ClaimStep => {
  if (hasAnnotation(claim, storageAnnotations.bindCompleted)) return boundClaimStep(claim, facts)
  const { volumeName = "" } = claim.spec
  return volumeName === ""
    ? unboundClaimStep(claim, facts)
    : requestedVolumeStep(claim, facts.volume(volumeName))
}

const boundClaimStep = (claim: PersistentVolumeClaim, facts: StorageFacts): ClaimStep => {
  const { volumeName = "" } = claim.spec
  if (volumeName === "")
    return loseStep("ClaimLost", "Bound claim has lost reference to PersistentVolume.", dataIsLost)
  const volume = facts.volume(volumeName)
  if (volume === undefined)
    return loseStep("ClaimLost", "Bound claim has lost its PersistentVolume.", dataIsLost)
  const { claimRef } = volume.spec
  return claimRef === undefined || claimRef.uid === claim.metadata.uid
    ? { type: "bind", volume }
    : loseStep("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly")
}

const dataIsLost = " Data on the volume is lost!"

const loseStep = (reason: string, message: string, consequence = ""): ClaimStep => ({
  type: "lose",
  event: { eventType: "Warning", reason, message: `${message}${consequence}` }
})

const waitStep = (eventType: StorageEvent["eventType"], reason: string, message: string): ClaimStep => ({
  type: "wait",
  event: { eventType, reason, message }
})

const requestedVolumeStep = (
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined
): ClaimStep => {
  if (volume === undefined) return { type: "wait" }
  const name = JSON.stringify(volume.metadata.name)
  if (volume.spec.claimRef === undefined) {
    const mismatch = volumeMismatch(volume, claim)
    return mismatch === undefined
      ? { type: "bind", volume }
      : waitStep("Warning", "VolumeMismatch", `Cannot bind to requested volume ${name}: ${mismatch}`)
  }
  return isVolumeOfClaim(volume, claim)
    ? { type: "bind", volume }
    : waitStep("Warning", "FailedBinding", `volume ${name} already bound to a different claim.`)
}

const unboundClaimStep = (claim: PersistentVolumeClaim, facts: StorageFacts): ClaimStep => {
  const className = storageClassNameOf(claim)
  const storageClass = className === "" ? undefined : facts.storageClass(className)
  const isDelayed = delaysBinding(storageClass)
  const volume = chooseVolume(claim, facts.volumes(), { reservedOnly: isDelayed })
  if (volume !== undefined) return { type: "bind", volume }
  const defaultClass = namesStorageClass(claim) ? undefined : defaultStorageClass(facts.storageClasses())
  if (defaultClass !== undefined) return { type: "assignClass", className: defaultClass.metadata.name }
  if (isDelayed && !hasAnnotation(claim, storageAnnotations.selectedNode))
    return waitForConsumerStep(facts.podsUsing(objectKeyOf(claim)))
  if (className === "") {
    const message = "no persistent volumes available for this claim and no storage class is set"
    return waitStep("Normal", "FailedBinding", message)
  }
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io ${JSON.stringify(className)} not found`
    return waitStep("Warning", "ProvisioningFailed", message)
  }
  return { type: "requestProvisioning", provisioner: storageClass.provisioner }
}

const waitForConsumerStep = (pods: ReadonlyArray<Pod>): ClaimStep => {
  const names = pods.filter(({ spec }) => (spec.nodeName ?? "") === "").map(({ metadata }) => metadata.name)
  if (names.length === 0) {
    const message = "waiting for first consumer to be created before binding"
    return waitStep("Normal", "WaitForFirstConsumer", message)
  }
  const message = `waiting for pod${names.length > 1 ? "s" : ""} ${names.join(",")} to be scheduled`
  return waitStep("Normal", "WaitForPodScheduled", message)
}

export const externalProvisioningEvent = (provisioner: string): StorageEvent => ({
  eventType: "Normal",
  reason: "ExternalProvisioning",
  message:
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' ` +
    "or manually by the system administrator. If volume creation is delayed, please verify that " +
    "the provisioner is running and correctly registered."
})
