import * as Effect from "effect/Effect"
import { groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ControllerServices } from "../controllerServices.ts"

/**
 * Called only for new references whose owner is missing, since the search walks all objects of the owner's kind.
 * Source: pkg/controller/garbagecollector/graph_builder.go (reportInvalidNamespaceOwnerRef).
 */
export const reportCrossNamespaceOwners = (
  { view, events }: ControllerServices,
  object: KubeObject
): Effect.Effect<void> => {
  const { namespace = "", ownerReferences = [] } = object.metadata
  const isForeign = (reference: OwnerReference): boolean => {
    const kind = view.kinds.findStored(reference)
    if (kind?.namespaced !== true) return false
    for (const { metadata } of view.all(groupResourceOf(kind))) {
      if (metadata.uid === reference.uid) return metadata.namespace !== namespace
    }
    return false
  }
  return Effect.forEach(
    ownerReferences.filter(isForeign),
    ({ apiVersion, kind, name, uid }) => {
      const reference = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
      const message = `ownerRef ${reference} does not exist in namespace ${JSON.stringify(namespace)}`
      const event = { eventType: "Warning", reason: "OwnerRefInvalidNamespace", message } as const
      return events.record({ component: "garbage-collector-controller", about: object, event })
    },
    { discard: true }
  )
}
