import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { shownName } from "../../domain/shownName.ts"
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

/** Who makes no Pods here, and where they are missing: a sentence for each namespace. */
export const unmadePods = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<string> => {
  const named = (
    namespace: string | undefined,
    isMeant: (resource: GroupResource) => boolean
  ): ReadonlyArray<string> => [
    ...new Set(
      documents
        .filter(({ kind, draft }) => isMeant(groupResourceOf(kind)) && draft.metadata.namespace === namespace)
        .map(({ kind, draft }) => `${kind.kind}/${shownName({ name: "", ...draft.metadata })}`)
    )
  ]
  const namespaces = new Set(documents.map(({ draft }) => draft.metadata.namespace))
  return [...namespaces].flatMap((namespace) => {
    const unmade = named(namespace, (resource) => makers.has(resource))
    const quotas = named(namespace, (resource) => resource === resources.resourceQuotas)
    return unmade.length === 0 ? [] : [unmadeText(unmade, quotas)]
  })
}

const unmadeText = (unmade: ReadonlyArray<string>, quotas: ReadonlyArray<string>): string =>
  (unmade.length === 1
    ? `${unmade.join()} is not played: none of its Pods are made`
    : `${unmade.join(", ")} are not played: none of their Pods are made`) +
  ", and the room that they take is " +
  (quotas.length === 0 ? "not counted" : `counted neither on nodes nor in ${quotas.join(", ")}`)
