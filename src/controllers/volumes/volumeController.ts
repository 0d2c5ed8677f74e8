import * as Effect from "effect/Effect"
import { nameInKey, objectKeyOf, toObjectKey } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { podClaimKeys, usesClaims } from "../../kubernetes/storage/podClaims.ts"
import { runInformer } from "../../runtime/workers/informer.ts"
import { noSnapshotMemory } from "../../runtime/snapshotMemory.ts"
import { makeMailbox } from "../../runtime/workers/mailbox.ts"
import { processMailbox } from "../../runtime/workers/worker.ts"
import { volumeRank } from "../../runtime/reconciler/controllerRanks.ts"
import { ignoreGoneOrReplaced } from "../controllerServices.ts"
import { syncClaim } from "./syncClaim.ts"
import { syncVolume } from "./syncVolume.ts"
import { createEphemeralClaims } from "./ephemeralClaims.ts"
import { storageFactsOf } from "./storageView.ts"
import type { Scope } from "effect/Scope"
import type { Key, Pod } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"
import type { Kernel } from "../../runtime/time/kernel.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ControllerServices } from "../controllerServices.ts"

/**
 * Binds PersistentVolumeClaims and PersistentVolumes, provisions volumes of the class `standard`, reclaims and protects
 * volumes, and creates the claims of ephemeral volumes. Its keys are `claim:namespace/name`, `volume:name` and
 * `pod:namespace/name`.
 *
 * Source: pkg/controller/volume/persistentvolume/pv_controller_base.go, pkg/controller/volume (pvcprotection,
 * pvprotection, ephemeral). Unlike Kubernetes, a claim that waits is looked at when something changes, and not every
 * 15 seconds too, so its Events count less.
 */
export const runVolumeController = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel
): Effect.fn.Return<void, never, Scope> {
  const { view, memory = noSnapshotMemory } = services
  const facts = storageFactsOf(view)
  const mailbox = yield* makeMailbox({ kernel, rank: volumeRank, memory })
  const offerClaim = (key: Key): void => mailbox.offer(`claim:${key}`)
  const offerVolume = (name: string): void => mailbox.offer(`volume:${name}`)

  const offerUnboundClaims = (): void => {
    for (const claim of view.all(resources.persistentVolumeClaims)) {
      if ((claim.spec.volumeName ?? "") === "") offerClaim(objectKeyOf(claim))
    }
  }

  const onClaim = ({ type, object }: Change): void => {
    const { volumeName = "" } = (object as PersistentVolumeClaim).spec
    if (volumeName !== "") offerVolume(volumeName)
    if (type !== "DELETED") offerClaim(objectKeyOf(object))
  }

  const onVolume = ({ type, object }: Change): void => {
    const { spec, status, metadata } = object as PersistentVolume
    const { claimRef } = spec
    if (type !== "DELETED") offerVolume(metadata.name)
    if (claimRef?.name !== undefined) offerClaim(toObjectKey(claimRef.namespace, claimRef.name))
    if (type !== "DELETED" && status?.phase === "Available") offerUnboundClaims()
  }

  const onPod = ({ type, object, old }: Change): void => {
    const [pod, oldPod] = [object as Pod, old as Pod | undefined]
    if (!usesClaims(pod.spec)) return
    if (type === "ADDED") mailbox.offer(`pod:${objectKeyOf(pod)}`)
    if (type === "DELETED" || (isPodFinished(pod) && oldPod !== undefined && !isPodFinished(oldPod)))
      podClaimKeys(pod).forEach(offerClaim)
  }

  const onChange = (change: Change): void => {
    switch (change.resource) {
      case resources.pods:
        return onPod(change)
      case resources.persistentVolumeClaims:
        return onClaim(change)
      case resources.persistentVolumes:
        return onVolume(change)
      case resources.storageClasses:
        if (change.type !== "DELETED") offerUnboundClaims()
    }
  }

  const attempt = (key: Key): Effect.Effect<void, StoreError> => {
    const [kind] = key.split(":", 1)
    const objectKey = key.slice(key.indexOf(":") + 1)
    switch (kind) {
      case "claim":
        return syncClaim(services, facts, view.get(resources.persistentVolumeClaims, objectKey))
      case "volume":
        return syncVolume(services, view.get(resources.persistentVolumes, nameInKey(objectKey)), offerClaim)
      default:
        return createEphemeralClaims(services, view.get(resources.pods, objectKey))
    }
  }

  yield* processMailbox({ mailbox, attempt: (key) => ignoreGoneOrReplaced(attempt(key)), memory })
  yield* runInformer(services, onChange, {
    resources: [
      resources.pods,
      resources.persistentVolumeClaims,
      resources.persistentVolumes,
      resources.storageClasses
    ],
    initial: [resources.persistentVolumes, resources.persistentVolumeClaims]
  })
})
