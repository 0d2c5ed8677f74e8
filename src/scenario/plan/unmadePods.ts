import { groupResourceOf, resources } from "../../domain/kinds.ts"
import type { GroupResource } from "../../domain/kinds.ts"
import type { ManifestDocument } from "../../manifests/manifest.ts"

/** Kinds of Kubernetes that make Pods, and here are stored objects. */
const makers: ReadonlySet<GroupResource> = new Set([
  "statefulsets.apps",
  "daemonsets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "replicationcontrollers"
])

/** Whose Pods a quota is counted without, a sentence for each quota; they are nowhere else either. */
export const unmadePods = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<string> => {
  const named = (
    namespace: string | undefined,
    isMeant: (resource: GroupResource) => boolean
  ): ReadonlyArray<string> => [
    ...new Set(
      documents
        .filter(({ kind, draft }) => isMeant(groupResourceOf(kind)) && draft.metadata.namespace === namespace)
        .map(({ kind, draft }) => `${kind.kind}/${draft.metadata.name ?? ""}`)
    )
  ]
  const namespaces = new Set(documents.map(({ draft }) => draft.metadata.namespace))
  return [...namespaces].flatMap((namespace) => {
    const unmade = named(namespace, (resource) => makers.has(resource))
    if (unmade.length === 0) return []
    return named(namespace, (resource) => resource === resources.resourceQuotas).map(
      (quota) => `${quota} is counted without the Pods of ${unmade.join(", ")}: nobody makes them here`
    )
  })
}
