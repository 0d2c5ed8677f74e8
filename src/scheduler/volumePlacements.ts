import * as Effect from "effect/Effect"
import { planVolumes } from "../kubernetes/scheduling/volumePlacement.ts"
import { podClaims } from "../kubernetes/storage/podClaims.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { storageAnnotations, withAnnotations } from "../kubernetes/storage/storageTypes.ts"
import { storageObjectsOf } from "../store/placementInput.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { volumeBoundTo } from "../kubernetes/storage/volumeWrites.ts"
import type { Node, Pod } from "../kubernetes/meta/objects.ts"
import type { StoreError } from "../store/storeErrors.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { ControllerServices } from "../controllers/controllerServices.ts"

export const storageResources = [
  resources.persistentVolumeClaims,
  resources.persistentVolumes,
  resources.storageClasses,
  "csinodes.storage.k8s.io"
] as const

export const selectedNodeName = (pod: Pod, view: ClusterView["Service"]): string | undefined => {
  for (const { name } of podClaims(pod)) {
    const claim = view.get(resources.persistentVolumeClaims, toObjectKey(pod.metadata.namespace, name))
    const selectedNode = claim?.metadata.annotations?.[storageAnnotations.selectedNode]
    if (selectedNode !== undefined) return selectedNode
  }
  return undefined
}

/**
 * Returns whether the Pod has to wait until its claims are bound.
 * Source: pkg/scheduler/framework/plugins/volumebinding/binder.go (BindPodVolumes).
 */
export const bindVolumes = Effect.fnUntraced(function* (
  { view, store }: Pick<ControllerServices, "view" | "store">,
  pod: Pod,
  node: Node
): Effect.fn.Return<boolean, StoreError> {
  const { bindings = [], provisions = [] } = planVolumes(pod, node, storageObjectsOf(view)) ?? {}
  for (const { claim, volume } of bindings) {
    const boundVolume = volumeBoundTo(volume, claim)
    if (boundVolume !== volume) yield* store.update(boundVolume)
  }
  for (const claim of provisions) {
    const selection = { [storageAnnotations.selectedNode]: node.metadata.name }
    yield* store.update(withAnnotations(claim, selection))
  }
  return bindings.length + provisions.length > 0
})
