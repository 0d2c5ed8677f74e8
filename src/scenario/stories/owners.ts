import { controllerOf } from "../../domain/ownerReferences.ts"
import { keyIn } from "../../domain/objects.ts"
import type { OwnerReference } from "kubernetes-types/meta/v1.js"
import type { Key } from "../../domain/objects.ts"
import type { Change } from "../../store/objectStore.ts"
import type { WholeEvent } from "../../domain/wholeEvent.ts"

/** Who owned what there was: something may be said of them when they are gone. */
export interface Owners {
  readonly see: (change: Change) => void
  /** The Deployment that an event is about, or that owns what it is about. */
  readonly deploymentOf: (about: WholeEvent["involvedObject"]) => Key | undefined
}

export const makeOwners = (): Owners => {
  const owners = new Map<string, OwnerReference>()
  return {
    see: ({ object }) => {
      const owner = controllerOf(object)
      if (owner !== undefined) owners.set(object.metadata.uid, owner)
    },
    deploymentOf: (about) => {
      const owner = owners.get(about.uid ?? "")
      const ofOwner = owners.get(owner?.uid ?? "")
      const deployment = [about, owner, ofOwner].find((it) => it?.kind === "Deployment")
      return deployment?.name === undefined ? undefined : keyIn(about.namespace, deployment.name)
    }
  }
}
