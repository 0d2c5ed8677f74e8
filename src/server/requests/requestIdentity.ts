import { placeInNamespace } from "../../kubernetes/admission/placeInNamespace.ts"
import { badRequest } from "../http/statuses.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ServedTarget } from "../http/requestTarget.ts"

/**
 * Sets the path's namespace; throws a `Refusal` when the draft names another.
 *
 * Source: apiserver/pkg/registry/rest/meta.go (EnsureObjectNamespaceMatchesRequestNamespace).
 */
export const inRequestNamespace = (
  draft: Draft,
  { kind, namespace }: Pick<ServedTarget, "kind" | "namespace">
): Draft => {
  const inScope = placeInNamespace(kind, draft, namespace)
  if (inScope.metadata.namespace === namespace) return inScope
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request")
}

export const requireRequestName = (draft: Draft, { name = "" }: Pick<ServedTarget, "name">): Draft => {
  const draftName = draft.metadata.name ?? ""
  if (draftName === name) return draft
  throw badRequest(
    draftName === ""
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${draftName}) does not match the name on the URL (${name})`
  )
}
