import { groupResourceOf, resources } from "../../domain/kinds.ts"
import type { Draft } from "../../domain/objects.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"
import type { Service } from "../../domain/endpoints.ts"

/** Whether it was read from a cluster: nobody writes by hand which object it was there, and of which version. */
export const wasRead = ({ draft: { metadata } }: ManifestDocument): boolean =>
  metadata.uid !== undefined || metadata.resourceVersion !== undefined

/** What was read from a cluster, as it stands in another. */
export const asItStood = (document: ManifestDocument): ManifestDocument => ({
  ...document,
  draft: stripped(document)
})

const stripped = ({ kind, draft }: ManifestDocument): Draft => {
  switch (groupResourceOf(kind)) {
    case resources.services:
      // Whoever reads documents sees to it that each is of the type that its kind says.
      return bareService(draft as Service)
    case resources.deployments:
      return unnumbered(bare(draft))
    default:
      return bare(draft)
  }
}

/** An object without what a cluster has made of it; what was applied to it last stays in its annotation. */
export const bare = (object: Draft): Draft => {
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

/** Its ReplicaSets are made anew, and begin with the first revision. */
export const unnumbered = (draft: Draft): Draft => {
  const { annotations = {}, ...metadata } = draft.metadata
  const kept = Object.entries(annotations).filter(([key]) => !key.startsWith("deployment.kubernetes.io/"))
  return Object.assign({}, draft, {
    metadata: { ...metadata, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) }
  })
}

/** An address is the other cluster's; that there is none is the Service's own. */
export const bareService = (service: Service): Draft => {
  const { clusterIP, clusterIPs: _ips, healthCheckNodePort: _port, ports = [], ...spec } = service.spec
  return Object.assign({}, bare(service), {
    spec: {
      ...spec,
      ports: ports.map(({ nodePort: _nodePort, ...port }) => port),
      ...(clusterIP === "None" ? { clusterIP } : {})
    }
  })
}
