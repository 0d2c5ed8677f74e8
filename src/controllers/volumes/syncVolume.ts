import * as Effect from "effect/Effect"
import { isDeletedByLocalPathProvisioner } from "../../kubernetes/storage/localPathVolume.ts"
import { isVolumeUnprotected, volumeProtectionFinalizer } from "../../kubernetes/storage/storageProtection.ts"
import { reclaimOutcome, volumeStep } from "../../kubernetes/storage/volumeSteps.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { objectKeyOf, toObjectKey } from "../../kubernetes/meta/objects.ts"
import { unboundVolume, withVolumePhase } from "../../kubernetes/storage/volumeWrites.ts"
import { withoutFinalizer } from "../../kubernetes/meta/deletion.ts"
import { recordStorageEvent, writeStatus } from "./syncClaim.ts"
import type { Key } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolume } from "../../kubernetes/storage/storageTypes.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { ControllerSelection } from "../managerControllers.ts"
import type { ControllerServices } from "../controllerServices.ts"

export const syncVolume = Effect.fnUntraced(function* (
  services: ControllerServices,
  volume: PersistentVolume,
  {
    selection: { runs },
    offerClaim
  }: { readonly selection: Pick<ControllerSelection, "runs">; readonly offerClaim: (key: Key) => void }
): Effect.fn.Return<void, StoreError> {
  const { store, view } = services
  const ref = { resource: resources.persistentVolumes, key: volume.metadata.name }
  if (isVolumeUnprotected(volume)) {
    if (!runs("persistentvolume-protection-controller")) return
    yield* store.modify(ref, (it) => withoutFinalizer(it, volumeProtectionFinalizer))
    return
  }
  if (!runs("persistentvolume-binder-controller")) return yield* removeReleased(services, volume)
  const { claimRef } = volume.spec
  const claimKey = claimRef?.name === undefined ? undefined : toObjectKey(claimRef.namespace, claimRef.name)
  const claim = claimKey === undefined ? undefined : view.get(resources.persistentVolumeClaims, claimKey)
  const step = volumeStep(volume, claim)
  switch (step.type) {
    case "setPhase":
      return yield* writeStatus(services, volume, withVolumePhase(volume, step.phase))
    case "lookAtClaim":
      if (claim !== undefined) offerClaim(objectKeyOf(claim))
      return
    case "refuse":
      yield* recordStorageEvent(services, volume, step.volumeEvent)
      if (claim !== undefined) yield* recordStorageEvent(services, claim, step.claimEvent)
      return
    case "unbind":
      return yield* unbind(services, volume)
    case "release":
      return yield* release(services, volume)
  }
})

const removeReleased = (
  { store }: ControllerServices,
  volume: PersistentVolume
): Effect.Effect<void, StoreError> =>
  ["Released", "Failed"].includes(volume.status?.phase ?? "") && isDeletedByLocalPathProvisioner(volume)
    ? Effect.asVoid(store.delete({ resource: resources.persistentVolumes, key: volume.metadata.name }))
    : Effect.void

const unbind = Effect.fnUntraced(function* (
  services: ControllerServices,
  volume: PersistentVolume
): Effect.fn.Return<void, StoreError> {
  const unbound = (yield* services.store.update(unboundVolume(volume))) as PersistentVolume
  yield* writeStatus(services, unbound, withVolumePhase(unbound, "Available"))
})

const release = Effect.fnUntraced(function* (
  services: ControllerServices,
  volume: PersistentVolume
): Effect.fn.Return<void, StoreError> {
  const ref = { resource: resources.persistentVolumes, key: volume.metadata.name }
  const { phase } = volume.status ?? {}
  // The status write wakes the controller again, which then reclaims the volume.
  if (phase !== "Released" && phase !== "Failed")
    return yield* writeStatus(services, volume, withVolumePhase(volume, "Released"))
  const outcome = reclaimOutcome(volume)
  switch (outcome.type) {
    case "keep":
      return yield* removeReleased(services, volume)
    case "delete":
      yield* services.store.delete(ref)
      return
    case "recycle":
      yield* recordStorageEvent(services, volume, outcome.event)
      return yield* unbind(services, volume)
    case "fail":
      if (phase === "Failed") return
      yield* writeStatus(services, volume, withVolumePhase(volume, "Failed", outcome.event.message))
      return yield* recordStorageEvent(services, volume, outcome.event)
  }
})
