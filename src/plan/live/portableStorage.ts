import { portableDraft } from "../previous/portableObjects.ts"
import { storageAnnotations } from "../../kubernetes/storage/storageTypes.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"

/** Annotations about the binding of claims and volumes. The simulated cluster binds them itself. */
const bindingAnnotations: ReadonlySet<string> = new Set([
  storageAnnotations.bindCompleted,
  storageAnnotations.boundByController,
  storageAnnotations.selectedNode,
  storageAnnotations.provisioner,
  storageAnnotations.betaProvisioner
])

const withoutBinding = (object: Draft): Draft => {
  const draft = portableDraft(object)
  const annotations = Object.entries(draft.metadata.annotations ?? {}).filter(
    ([name]) => !bindingAnnotations.has(name)
  )
  return { ...draft, metadata: { ...draft.metadata, annotations: Object.fromEntries(annotations) } }
}

/** A claim of a real cluster, for a simulated one that binds it to the same volume. */
export const portableClaim = (claim: PersistentVolumeClaim): Draft => withoutBinding(claim)

/** A volume of a real cluster, for a simulated one: reserved for the claim that it is bound to. */
export const portableVolume = (volume: PersistentVolume): Draft => {
  const { claimRef, ...spec } = volume.spec
  const { kind, apiVersion, namespace, name } = claimRef ?? {}
  const reserved = claimRef === undefined ? {} : { claimRef: { kind, apiVersion, namespace, name } }
  return Object.assign(withoutBinding(volume), { spec: { ...spec, ...reserved } })
}
