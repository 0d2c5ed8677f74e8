import { portableDraft } from "../previous/portableObjects.ts"
import { storageAnnotations } from "../../kubernetes/storage/storageTypes.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { PersistentVolume, PersistentVolumeClaim } from "../../kubernetes/storage/storageTypes.ts"

/** The simulated cluster binds claims and volumes itself. */
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

export const portableClaim = (claim: PersistentVolumeClaim): Draft => withoutBinding(claim)

export const portableVolume = (volume: PersistentVolume): Draft => {
  const { claimRef, ...spec } = volume.spec
  const { kind, apiVersion, namespace, name } = claimRef ?? {}
  const reserved = claimRef === undefined ? {} : { claimRef: { kind, apiVersion, namespace, name } }
  return Object.assign(withoutBinding(volume), { spec: { ...spec, ...reserved } })
}
