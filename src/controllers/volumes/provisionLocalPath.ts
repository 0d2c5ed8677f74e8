import * as Effect from "effect/Effect"
import {
  localPathProvisioner,
  localPathProvisionerRefusal,
  localPathVolume,
  provisionedVolumeName
} from "../../kubernetes/storage/localPathVolume.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { storageAnnotations } from "../../kubernetes/storage/storageTypes.ts"
import type { PersistentVolumeClaim, StorageClass } from "../../kubernetes/storage/storageTypes.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { ControllerServices } from "../controllerServices.ts"

/** The Events are those of the local-path provisioner. */
export const provisionLocalPath = Effect.fnUntraced(function* (
  { view, store, events }: ControllerServices,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass
): Effect.fn.Return<void, StoreError> {
  if (view.get(resources.persistentVolumes, provisionedVolumeName(claim)) !== undefined) return
  const record = (eventType: "Normal" | "Warning", reason: string, message: string): Effect.Effect<unknown> =>
    events.record({ component: localPathProvisioner, about: claim, event: { eventType, reason, message } })
  const key = JSON.stringify(objectKeyOf(claim))
  yield* record("Normal", "Provisioning", `External provisioner is provisioning volume for claim ${key}`)
  const node = view.get(resources.nodes, claim.metadata.annotations?.[storageAnnotations.selectedNode] ?? "")
  const refusal = localPathProvisionerRefusal(claim, storageClass, node)
  if (refusal !== undefined || node === undefined)
    return void (yield* record("Warning", "ProvisioningFailed", refusal ?? ""))
  const { metadata } = yield* store.create(localPathVolume(claim, storageClass, node))
  yield* record("Normal", "ProvisioningSucceeded", `Successfully provisioned volume ${metadata.name}`)
})
