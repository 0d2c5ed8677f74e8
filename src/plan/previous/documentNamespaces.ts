import { initialNamespaces } from "../../cluster/bootstrap.ts"
import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import { locationText } from "../../manifests/manifestDocument.ts"
import { documentProblem } from "../../manifests/manifestProblems.ts"
import type { ManifestDocument, ManifestProblem } from "../../manifests/manifestDocument.ts"

type Documents = ReadonlyArray<ManifestDocument>

/** The namespaces that exist once the documents have been applied. */
export const namespacesAfter = (documents: Documents): ReadonlyArray<string> => [
  ...createdNamespaces(documents),
  ...usedNamespaces(documents)
]

/**
 * Problems of documents that come before the Namespace they are in. kubectl applies documents in the order given. It
 * creates the Namespace after the error, so that a second apply of the same documents succeeds.
 *
 * Source: staging/src/k8s.io/kubectl/pkg/cmd/apply/apply.go (Run),
 * staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
 */
export const namespaceOrderProblems = (
  next: Documents,
  existingNamespaces: ReadonlyArray<string>
): ReadonlyArray<ManifestProblem> => {
  const available = new Set<string | undefined>([...initialNamespaces, ...existingNamespaces])
  const namespaceDocuments = new Map(
    next.filter(isNamespace).map((document) => [document.draft.metadata.name, document])
  )
  return next.flatMap((document) => {
    const { name = "", namespace } = document.draft.metadata
    if (isNamespace(document)) available.add(name)
    const namespaceDocument = namespaceDocuments.get(namespace)
    if (namespaceDocument === undefined || available.has(namespace)) return []
    const message =
      `Error from server (NotFound): namespaces "${namespace}" not found: documents are applied in the order given, and ` +
      `the one that creates it comes later: ${locationText(namespaceDocument)}`
    return [documentProblem(document, message)]
  })
}

const isNamespace = ({ kind }: ManifestDocument): boolean => groupResourceOf(kind) === resources.namespaces

export const createdNamespaces = (documents: Documents): ReadonlyArray<string> =>
  documents.filter(isNamespace).flatMap(({ draft }) => draft.metadata.name ?? [])

export const usedNamespaces = (documents: Documents): ReadonlyArray<string> => [
  ...new Set(documents.flatMap(({ draft }) => draft.metadata.namespace ?? []))
]
