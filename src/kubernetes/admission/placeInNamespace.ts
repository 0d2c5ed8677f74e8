import type { Kind } from "../meta/kinds.ts"
import type { Draft } from "../meta/objects.ts"

/**
 * Returns the same draft if nothing changes. Source:
 * apiserver/pkg/registry/rest/meta.go
 * (EnsureObjectNamespaceMatchesRequestNamespace).
 */
export const placeInNamespace = (
  { namespaced }: Pick<Kind, "namespaced">,
  draft: Draft,
  namespace = "default"
): Draft => {
  const { namespace: draftNamespace = "" } = draft.metadata
  if (namespaced ? draftNamespace !== "" : draft.metadata.namespace === undefined) return draft
  const { namespace: _draftNamespace, ...metadata } = draft.metadata
  return { ...draft, metadata: namespaced ? { ...metadata, namespace } : metadata }
}
