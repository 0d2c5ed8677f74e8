import type { Kind } from "../meta/kinds.ts"
import type { Draft } from "../meta/objects.ts"

/**
 * The draft of a request with its namespace: `namespace` if the kind is namespaced and the draft states none, and no
 * namespace if the kind is cluster-scoped. The same draft if nothing changes.
 * Source: staging/src/k8s.io/apiserver/pkg/registry/rest/meta.go (EnsureObjectNamespaceMatchesRequestNamespace), which
 * create.go and update.go call with the strategy's scope.
 */
export const placeInNamespace = (
  { namespaced }: Pick<Kind, "namespaced">,
  draft: Draft,
  namespace = "default"
): Draft => {
  const { namespace: stated = "" } = draft.metadata
  if (namespaced ? stated !== "" : draft.metadata.namespace === undefined) return draft
  const { namespace: _stated, ...metadata } = draft.metadata
  return { ...draft, metadata: namespaced ? { ...metadata, namespace } : metadata }
}
