import { storageAnnotations } from "../../kubernetes/storage/storageTypes.ts"
import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PersistentVolume } from "../../kubernetes/storage/storageTypes.ts"
import type { Service } from "../../kubernetes/core/endpoints.ts"

export const isReadFromCluster = ({ draft: { metadata } }: ManifestDocument): boolean =>
  metadata.uid !== undefined || metadata.resourceVersion !== undefined

export const portableDocument = (document: ManifestDocument): ManifestDocument => ({
  ...document,
  draft: toPortableDraft(document)
})

const toPortableDraft = ({ kind, draft }: ManifestDocument): Draft => {
  switch (groupResourceOf(kind)) {
    case resources.services:
      return portableService(draft as Service)
    case resources.deployments:
      return withoutRevision(portableDraft(draft))
    case resources.persistentVolumeClaims:
      return withoutBinding(draft)
    case resources.persistentVolumes:
      return portableVolume(draft as PersistentVolume)
    default:
      return portableDraft(draft)
  }
}

/** An object of a cluster as another cluster can take it: without identity and status. */
export const portableDraft = (object: Draft): Draft => {
  const { apiVersion, kind, metadata } = object
  const { name, namespace, labels, annotations = {} } = metadata
  return Object.assign(
    {
      apiVersion,
      kind,
      metadata: {
        ...(name === undefined ? {} : { name }),
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
        ...(Object.keys(annotations).length === 0 ? {} : { annotations })
      }
    },
    Object.fromEntries(
      Object.entries(object).filter(([key]) => !["apiVersion", "kind", "metadata", "status"].includes(key))
    )
  )
}

/** Drops a Deployment's revision number: the simulated cluster counts its revisions from 1. */
export const withoutRevision = (draft: Draft): Draft => {
  const { annotations = {}, ...metadata } = draft.metadata
  const remaining = Object.entries(annotations).filter(
    ([key]) => !key.startsWith("deployment.kubernetes.io/")
  )
  return Object.assign({}, draft, {
    metadata: {
      ...metadata,
      ...(remaining.length === 0 ? {} : { annotations: Object.fromEntries(remaining) })
    }
  })
}

/** The simulated cluster assigns node ports. */
export const portableService = (service: Service): Draft => {
  const { clusterIPs: _ips, healthCheckNodePort: _port, ports = [], ...spec } = service.spec
  return Object.assign({}, portableDraft(service), {
    spec: { ...spec, ports: ports.map(({ nodePort: _nodePort, ...port }) => port) }
  })
}

/** The simulated cluster binds claims and volumes itself. */
const bindingAnnotations: ReadonlySet<string> = new Set([
  storageAnnotations.bindCompleted,
  storageAnnotations.boundByController,
  storageAnnotations.selectedNode,
  storageAnnotations.provisioner,
  storageAnnotations.betaProvisioner
])

export const withoutBinding = (object: Draft): Draft => {
  const draft = portableDraft(object)
  const annotations = Object.entries(draft.metadata.annotations ?? {}).filter(
    ([name]) => !bindingAnnotations.has(name)
  )
  return { ...draft, metadata: { ...draft.metadata, annotations: Object.fromEntries(annotations) } }
}

export const portableVolume = (volume: PersistentVolume): Draft => {
  const { claimRef, ...spec } = volume.spec
  const { kind, apiVersion, namespace, name } = claimRef ?? {}
  const reserved = claimRef === undefined ? {} : { claimRef: { kind, apiVersion, namespace, name } }
  return Object.assign(withoutBinding(volume), { spec: { ...spec, ...reserved } })
}
