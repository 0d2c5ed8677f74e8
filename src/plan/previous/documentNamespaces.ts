import { groupResourceOf, resources } from "../../kubernetes/meta/kinds.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"

type Documents = ReadonlyArray<ManifestDocument>

const isNamespace = ({ kind }: ManifestDocument): boolean => groupResourceOf(kind) === resources.namespaces

export const createdNamespaces = (documents: Documents): ReadonlyArray<string> =>
  documents.filter(isNamespace).flatMap(({ draft }) => draft.metadata.name ?? [])

export const usedNamespaces = (documents: Documents): ReadonlyArray<string> => [
  ...new Set(documents.flatMap(({ draft }) => draft.metadata.namespace ?? []))
]
