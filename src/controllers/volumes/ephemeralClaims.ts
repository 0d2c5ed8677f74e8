import * as Effect from "effect/Effect"
import { ephemeralClaimDrafts } from "../../kubernetes/storage/podClaims.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { toObjectKey } from "../../kubernetes/meta/objects.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { StoreError } from "../../store/storeErrors.ts"
import type { ControllerServices } from "../controllerServices.ts"

/** Source: pkg/controller/volume/ephemeral/controller.go. */
export const createEphemeralClaims = (
  { view, store }: ControllerServices,
  pod: Pod | undefined
): Effect.Effect<void, StoreError> => {
  if (pod === undefined || isTerminating(pod)) return Effect.void
  const missing = ephemeralClaimDrafts(pod).filter(({ metadata }) => {
    const key = toObjectKey(metadata.namespace, metadata.name ?? "")
    return view.get(resources.persistentVolumeClaims, key) === undefined
  })
  return Effect.forEach(missing, (draft) => store.create(draft), { discard: true })
}
