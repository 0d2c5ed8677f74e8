import { badRequest } from "../http/statuses.ts"
import type { Draft } from "../../kubernetes/meta/objects.ts"
import type { ServedTarget } from "../http/requestTarget.ts"

/** Sets the namespace of the request's path on the draft. Throws a `Refusal` when the draft names another one. */
export const inRequestNamespace = (draft: Draft, { namespace }: Pick<ServedTarget, "namespace">): Draft => {
  const draftNamespace = draft.metadata.namespace
  if (draftNamespace === namespace) return draft
  if (draftNamespace !== undefined && draftNamespace !== "") {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request")
  }
  const { namespace: _namespace, ...metadata } = draft.metadata
  return { ...draft, metadata: namespace === undefined ? metadata : { ...metadata, namespace } }
}

/** Requires the draft to have the name in the request's path. */
export const requireRequestName = (draft: Draft, { name = "" }: Pick<ServedTarget, "name">): Draft => {
  const draftName = draft.metadata.name ?? ""
  if (draftName === name) return draft
  throw badRequest(
    draftName === ""
      ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${draftName}) does not match the name on the URL (${name})`
  )
}
