import * as Effect from "effect/Effect"
import { claimStep, externalProvisioningEvent } from "../../kubernetes/storage/claimSteps.ts"
import { awaitsLocalPathProvisioner } from "../../kubernetes/storage/localPathVolume.ts"
import {
  claimBoundTo,
  volumeBoundTo,
  withBoundStatus,
  withUnboundStatus,
  withVolumePhase
} from "../../kubernetes/storage/volumeWrites.ts"
import { claimProtectionFinalizer, isClaimUnprotected } from "../../kubernetes/storage/storageProtection.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { storageAnnotations, withAnnotations } from "../../kubernetes/storage/storageTypes.ts"
import { noProvisioner, storageClassNameOf } from "../../kubernetes/storage/storageClasses.ts"
import { withoutFinalizer } from "../../kubernetes/meta/deletion.ts"
import { provisionLocalPath } from "./provisionLocalPath.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"
import type { StorageEvent, StorageFacts } from "../../kubernetes/storage/claimSteps.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { ControllerSelection } from "../managerControllers.ts"
import type { ControllerServices } from "../controllerServices.ts"

export const syncClaim = (
  services: ControllerServices,
  claim: PersistentVolumeClaim | undefined,
  {
    selection: { runs },
    facts
  }: { readonly selection: Pick<ControllerSelection, "runs">; readonly facts: StorageFacts }
): Effect.Effect<void, StoreError> => {
  if (claim === undefined) return Effect.void
  if (isClaimUnprotected(claim, facts.podsUsing(objectKeyOf(claim)))) {
    if (!runs("persistentvolumeclaim-protection-controller")) return Effect.void
    const ref = { resource: resources.persistentVolumeClaims, key: objectKeyOf(claim) }
    return Effect.asVoid(services.store.modify(ref, (it) => withoutFinalizer(it, claimProtectionFinalizer)))
  }
  const storageClass = facts.storageClass(storageClassNameOf(claim))
  return Effect.andThen(
    runs("persistentvolume-binder-controller") ? bindOrWait(services, facts, claim) : Effect.void,
    storageClass !== undefined && awaitsLocalPathProvisioner(claim, storageClass)
      ? provisionLocalPath(services, claim, storageClass)
      : Effect.void
  )
}

const bindOrWait = Effect.fnUntraced(function* (
  services: ControllerServices,
  facts: StorageFacts,
  claim: PersistentVolumeClaim
): Effect.fn.Return<void, StoreError> {
  const step = claimStep(claim, facts)
  switch (step.type) {
    case "bind":
      return yield* bind(services, claim, step.volume)
    case "wait":
      if (step.event !== undefined) yield* recordStorageEvent(services, claim, step.event)
      return yield* writeStatus(services, claim, withUnboundStatus(claim, "Pending"))
    case "lose":
      if (claim.status?.phase === "Lost") return
      yield* writeStatus(services, claim, withUnboundStatus(claim, "Lost"))
      return yield* recordStorageEvent(services, claim, step.event)
    case "assignClass": {
      const { className: storageClassName } = step
      const withClass: PersistentVolumeClaim = { ...claim, spec: { ...claim.spec, storageClassName } }
      yield* services.store.update(withClass)
      return
    }
    case "requestProvisioning":
      return yield* requestProvisioning(services, claim, step.provisioner)
  }
})

const requestProvisioning = Effect.fnUntraced(function* (
  services: ControllerServices,
  claim: PersistentVolumeClaim,
  provisioner: string
): Effect.fn.Return<void, StoreError> {
  const { provisioner: name, betaProvisioner } = storageAnnotations
  if (claim.metadata.annotations?.[name] === provisioner) return
  const requested = yield* services.store.update(
    withAnnotations(claim, { [betaProvisioner]: provisioner, [name]: provisioner })
  )
  if (provisioner === noProvisioner) return
  yield* recordStorageEvent(services, requested, externalProvisioningEvent(provisioner))
})

/** Writes the volume first, so that no other claim gets it. */
const bind = Effect.fnUntraced(function* (
  services: ControllerServices,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume
): Effect.fn.Return<void, StoreError> {
  const { store } = services
  const boundVolume = volumeBoundTo(volume, claim)
  const writtenVolume = boundVolume === volume ? volume : yield* store.update(boundVolume)
  yield* writeStatus(services, writtenVolume, withVolumePhase(writtenVolume as PersistentVolume, "Bound"))
  const boundClaim = claimBoundTo(claim, volume)
  const writtenClaim = boundClaim === claim ? claim : yield* store.update(boundClaim)
  yield* writeStatus(services, writtenClaim, withBoundStatus(writtenClaim as PersistentVolumeClaim, volume))
})

export const writeStatus = (
  { store }: ControllerServices,
  present: KubeObject,
  next: PersistentVolume | PersistentVolumeClaim
): Effect.Effect<void, StoreError> =>
  next === present ? Effect.void : Effect.asVoid(store.updateStatus(next))

export const recordStorageEvent = (
  { events }: ControllerServices,
  about: KubeObject,
  event: StorageEvent
): Effect.Effect<void> =>
  Effect.asVoid(events.record({ component: "persistentvolume-controller", about, event }))
