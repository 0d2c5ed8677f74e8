import * as Effect from "effect/Effect"
import { objectKeyOf, toObjectKey } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import { podClaimKeys, usesClaims } from "../../kubernetes/storage/podClaims.ts"
import { runInformer } from "../../runtime/workers/informer.ts"
import { snapshotPartOfMap, noSnapshotParts } from "../../runtime/snapshotParts.ts"
import { makeKeyTimers } from "../../runtime/time/keyTimers.ts"
import { makeMailbox } from "../../runtime/workers/mailbox.ts"
import { processMailbox } from "../../runtime/workers/worker.ts"
import { volumeTurnOrder } from "../../runtime/reconciler/controllerTurnOrder.ts"
import { ignoreGoneOrReplaced } from "../controllerServices.ts"
import { attachVolume } from "./attachVolume.ts"
import { syncClaim } from "./syncClaim.ts"
import { syncVolume } from "./syncVolume.ts"
import { createEphemeralClaims } from "./ephemeralClaims.ts"
import { storageFactsOf } from "./storageView.ts"
import type { Scope } from "effect/Scope"
import type { Key, Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"
import type { Kernel } from "../../runtime/time/kernel.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { Change } from "../../store/objectStore.ts"
import type { ControllerSelection } from "../managerControllers.ts"
import type { ControllerServices } from "../controllerServices.ts"

/**
 * Keys are `claim:namespace/name`, `volume:name` and `pod:namespace/name`.
 * Source: pkg/controller/volume/persistentvolume/pv_controller_base.go, pkg/controller/volume (pvcprotection,
 * pvprotection, ephemeral). Unlike Kubernetes, a waiting claim is looked at only on changes, not every 15 seconds.
 */
export const runVolumeController = Effect.fnUntraced(function* (
  services: ControllerServices,
  kernel: Kernel,
  selection: Pick<ControllerSelection, "runs">
): Effect.fn.Return<void, never, Scope> {
  const { view, snapshotParts = noSnapshotParts } = services
  const facts = storageFactsOf(view)
  const mailbox = yield* makeMailbox({ kernel, turnOrder: volumeTurnOrder, snapshotParts })
  const timers = yield* makeKeyTimers({ kernel, turnOrder: volumeTurnOrder, mailbox, snapshotParts })
  const unusedSinceMillis = new Map<string, number>()
  snapshotParts.registerPart("unused", snapshotPartOfMap(unusedSinceMillis))
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
    const wasJustBound = oldPod?.spec.nodeName === undefined && pod.spec.nodeName !== undefined
    const hasEnded =
      type === "DELETED" || (isPodFinished(pod) && oldPod !== undefined && !isPodFinished(oldPod))
    for (const key of wasJustBound || hasEnded ? podClaimKeys(pod) : []) {
      if (hasEnded) offerClaim(key)
      const { volumeName = "" } = view.get(resources.persistentVolumeClaims, key)?.spec ?? {}
      if (volumeName !== "") offerVolume(volumeName)
    }
  }

  /** A node that is lost, back or out of service may hold volumes that other nodes wait for. */
  const onNode = ({ type, object }: Change): void => {
    if (type !== "DELETED" && (object as Node).status.volumesAttached === undefined) return
    for (const { metadata } of view.all(resources.persistentVolumes)) offerVolume(metadata.name)
  }

  const onChange = (change: Change): void => {
    switch (change.resource) {
      case resources.pods:
        return onPod(change)
      case resources.nodes:
        return onNode(change)
      case resources.persistentVolumeClaims:
        return onClaim(change)
      case resources.persistentVolumes:
        return onVolume(change)
      case resources.storageClasses:
        if (change.type !== "DELETED") offerUnboundClaims()
    }
  }

  const syncAndAttach = Effect.fnUntraced(function* (key: Key, volume: PersistentVolume | undefined) {
    if (volume === undefined) return timers.cancel(key)
    yield* syncVolume(services, volume, { selection, offerClaim })
    if (!selection.runs("persistentvolume-attach-detach-controller")) return
    const lookAgainMillis = yield* attachVolume(services, volume, unusedSinceMillis)
    timers.at(key, lookAgainMillis)
  })

  const attempt = (key: Key): Effect.Effect<void, StoreError> => {
    const [kind] = key.split(":", 1)
    const objectKey = key.slice(key.indexOf(":") + 1)
    switch (kind) {
      case "claim":
        return syncClaim(services, view.get(resources.persistentVolumeClaims, objectKey), {
          selection,
          facts
        })
      case "volume":
        return syncAndAttach(key, view.get(resources.persistentVolumes, objectKey))
      default:
        return selection.runs("ephemeral-volume-controller")
          ? createEphemeralClaims(services, view.get(resources.pods, objectKey))
          : Effect.void
    }
  }

  yield* processMailbox({ mailbox, attempt: (key) => ignoreGoneOrReplaced(attempt(key)), snapshotParts })
  yield* runInformer(services, onChange, {
    resources: [
      resources.pods,
      resources.nodes,
      resources.persistentVolumeClaims,
      resources.persistentVolumes,
      resources.storageClasses
    ],
    initialList: [resources.persistentVolumes, resources.persistentVolumeClaims]
  })
})
