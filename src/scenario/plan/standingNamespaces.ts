import { firstNamespaces } from "../../bootstrap.ts"
import { groupResourceOf, resources } from "../../domain/kinds.ts"
import { placeText } from "../../manifests/manifest.ts"
import { problemOf } from "../../manifests/refusals.ts"
import type { ManifestDocument, ManifestProblem } from "../../manifests/manifest.ts"

type Documents = ReadonlyArray<ManifestDocument>

/** The namespaces that are there once these documents have been applied. */
export const namespacesAfter = (documents: Documents): ReadonlyArray<string> => [
  ...namespacesIn(documents),
  ...usedIn(documents)
]

/**
 * What stands before the Namespace that it is in, where that is not there already: documents are applied in the order
 * given, and kubectl goes on after one that is refused, so that the Namespace is there the next time.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go (Run),
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
 */
export const tooEarly = (
  next: Documents,
  standing: ReadonlyArray<string>
): ReadonlyArray<ManifestProblem> => {
  const there = new Set<string | undefined>([...firstNamespaces, ...standing])
  const makers = new Map(next.filter(isNamespace).map((document) => [document.draft.metadata.name, document]))
  return next.flatMap((document) => {
    const { name = "", namespace } = document.draft.metadata
    if (isNamespace(document)) there.add(name)
    const maker = makers.get(namespace)
    if (maker === undefined || there.has(namespace)) return []
    const message =
      `Error from server (NotFound): namespaces "${namespace}" not found: documents are applied in the order given, and ` +
      `the one that makes it comes later: ${placeText(maker)}`
    return [problemOf(document, message)]
  })
}

const isNamespace = ({ kind }: ManifestDocument): boolean => groupResourceOf(kind) === resources.namespaces

/** Those that documents make. */
export const namespacesIn = (documents: Documents): ReadonlyArray<string> =>
  documents.filter(isNamespace).flatMap(({ draft }) => draft.metadata.name ?? [])

/** Those that documents are in, each once. */
export const usedIn = (documents: Documents): ReadonlyArray<string> => [
  ...new Set(documents.flatMap(({ draft }) => draft.metadata.namespace ?? []))
]
