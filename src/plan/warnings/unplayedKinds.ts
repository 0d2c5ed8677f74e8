import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

const unplayedKinds: ReadonlySet<GroupResource> = new Set(["replicationcontrollers"])

export const unplayedKindWarnings = (documents: ReadonlyArray<ManifestDocument>): ReadonlyArray<string> => {
  const namesIn = (
    namespace: string | undefined,
    isIncluded: (resource: GroupResource) => boolean
  ): ReadonlyArray<string> => [
    ...new Set(
      documents
        .filter(
          ({ kind, draft }) => isIncluded(groupResourceOf(kind)) && draft.metadata.namespace === namespace
        )
        .map(({ kind, draft }) => `${kind.kind}/${displayName({ name: "", ...draft.metadata })}`)
    )
  ]
  const namespaces = new Set(documents.map(({ draft }) => draft.metadata.namespace))
  return [...namespaces].flatMap((namespace) => {
    const workloads = namesIn(namespace, (resource) => unplayedKinds.has(resource))
    const quotas = namesIn(namespace, (resource) => resource === resources.resourceQuotas)
    return workloads.length === 0 ? [] : [unplayedKindText(workloads, quotas)]
  })
}

const unplayedKindText = (workloads: ReadonlyArray<string>, quotas: ReadonlyArray<string>): string =>
  (workloads.length === 1
    ? `${workloads.join()} is not played: none of its Pods are made`
    : `${workloads.join(", ")} are not played: none of their Pods are made`) +
  ", and the room that they take is " +
  (quotas.length === 0 ? "not counted" : `counted neither on nodes nor in ${quotas.join(", ")}`)
