import { controllerOf } from "../../../kubernetes/meta/ownerReferences.ts"
import { toObjectKey } from "../../../kubernetes/meta/objects.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Key } from "../../../kubernetes/meta/objects.ts"
import type { Change } from "../../../store/objectStore.ts"
import type { NormalizedEvent } from "../../../kubernetes/meta/normalizeEvent.ts"

/** Keeps the owners of deleted objects, since Events about these may still come. */
export interface OwnerHistory {
  readonly observe: (change: Change) => void
  readonly deploymentOf: (involvedObject: NormalizedEvent["involvedObject"]) => Key | undefined
}

export const makeOwnerHistory = (): OwnerHistory => {
  const owners = new Map<string, OwnerReference>()
  return {
    observe: ({ object }) => {
      const owner = controllerOf(object)
      if (owner !== undefined) owners.set(object.metadata.uid, owner)
    },
    deploymentOf: (involvedObject) => {
      const owner = owners.get(involvedObject.uid ?? "")
      const ownerOfOwner = owners.get(owner?.uid ?? "")
      const deployment = [involvedObject, owner, ownerOfOwner].find((object) => object?.kind === "Deployment")
      return deployment?.name === undefined
        ? undefined
        : toObjectKey(involvedObject.namespace, deployment.name)
    }
  }
}
