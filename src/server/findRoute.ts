import { groupResourceOf, storedKindOf } from "../kubernetes/meta/kinds.ts"
import { findServedKind } from "./servedResources.ts"
import { methodNotAllowed, pageNotFound, resourceNotFound } from "./http/statuses.ts"
import { reviewVerb } from "./verbs/reviewVerbs.ts"
import { createVerb, updateVerb } from "./verbs/createAndUpdateVerbs.ts"
import { getVerb, listVerb } from "./verbs/readVerbs.ts"
import { patchVerb } from "./verbs/patchVerb.ts"
import { apiServiceVerb } from "./verbs/apiServiceVerbs.ts"
import { componentStatusVerb } from "./verbs/componentStatusVerbs.ts"
import { deleteVerb, deleteCollectionVerb } from "./verbs/deleteVerbs.ts"
import { bindByNameVerb } from "./subresources/bindingVerbs.ts"
import { subresourceVerb } from "./subresources/subresourceVerbs.ts"
import { metricsAdapterRoute } from "./usage/metricsAdapterRoutes.ts"
import { usageVerb } from "./usage/usageVerbs.ts"
import type { Kind } from "../kubernetes/meta/kinds.ts"
import type { VerbHandler } from "./requests/apiCall.ts"
import type { ResourceTarget, ServedTarget } from "./http/requestTarget.ts"

export interface ApiRoute {
  readonly target: ServedTarget
  readonly verb: string
  readonly handle: VerbHandler
}

const handlersByVerb: Readonly<Record<string, VerbHandler>> = {
  get: getVerb,
  list: listVerb,
  create: createVerb,
  update: updateVerb,
  patch: patchVerb,
  delete: deleteVerb,
  deletecollection: deleteCollectionVerb
}

/**
 * Throws a `Refusal` when nothing is served at the path.
 *
 * Source: apiserver/pkg/endpoints/installer.go.
 */
export const findRoute = (
  method: string,
  resource: ResourceTarget,
  { wantsWatch, kinds }: { readonly wantsWatch: boolean; readonly kinds: ReadonlyArray<Kind> }
): ApiRoute => {
  const adapterRoute = metricsAdapterRoute(method, resource, kinds)
  if (adapterRoute !== undefined) return adapterRoute
  const kind = findServedKind(kinds, resource)
  if (kind === undefined) throw notFoundRefusal(kinds, resource)
  if (!kind.namespaced && resource.namespace !== undefined) throw resourceNotFound()
  const isAcrossNamespaces = kind.namespaced && resource.namespace === undefined
  if (isAcrossNamespaces && resource.name !== undefined) throw resourceNotFound()
  const target: ServedTarget = { ...resource, kind, resource: groupResourceOf(storedKindOf(kind)) }
  if (resource.subresource !== undefined) return subresourceRoute(method, target)
  const verb = verbOf(method, { isNamed: resource.name !== undefined, wantsWatch })
  if (verb === undefined || !kind.verbs.some((it) => it === verb)) throw methodNotAllowed()
  if (isAcrossNamespaces && verb !== "list" && verb !== "watch") throw methodNotAllowed()
  const handler = computedKindVerb(target, verb) ?? handlersByVerb[verb]
  return {
    target,
    verb,
    // The caller opens a watch itself and does not call this handler.
    handle: handler ?? listVerb
  }
}

/** The handler of a kind whose objects are not stored but computed, at least in part. */
const computedKindVerb = ({ kind, resource }: ServedTarget, verb: string): VerbHandler | undefined => {
  switch (resource) {
    case "bindings":
      return bindByNameVerb
    case "componentstatuses":
      return componentStatusVerb(verb)
    case "nodes.metrics.k8s.io":
    case "pods.metrics.k8s.io":
      return usageVerb(verb)
    case "apiservices.apiregistration.k8s.io":
      return apiServiceVerb(verb)
    default:
      return reviewVerb(kind)
  }
}

/** A Status below a served group, plain text elsewhere. */
export const notFoundRefusal = (
  kinds: ReadonlyArray<Kind>,
  { group, version }: Pick<ResourceTarget, "group" | "version">
) =>
  kinds.some((kind) => kind.group === group && (group !== "" || kind.version === version))
    ? resourceNotFound()
    : pageNotFound()

const subresourceRoute = (method: string, target: ServedTarget): ApiRoute => {
  // A POST to a subresource creates something, although its path has a name.
  const verb = verbOf(method, { isNamed: method !== "POST", wantsWatch: false })
  const handler = subresourceVerb(target, verb ?? "")
  if (handler === undefined) throw resourceNotFound()
  if (handler === "notAllowed" || verb === undefined) throw methodNotAllowed()
  return { target, verb, handle: handler }
}

/** The method in lower case if there is no verb. */
export const requestVerb = (
  method: string,
  { name, subresource, isWatchPath }: ResourceTarget,
  wantsWatch: boolean
): string => {
  const isNamed = subresource === undefined ? name !== undefined : method !== "POST"
  const options = { isNamed, wantsWatch: subresource === undefined && (wantsWatch || isWatchPath) }
  return verbOf(method, options) ?? method.toLowerCase()
}

const verbOf = (
  method: string,
  { isNamed, wantsWatch }: { readonly isNamed: boolean; readonly wantsWatch: boolean }
): string | undefined => {
  switch (method) {
    case "GET":
    case "HEAD":
      return wantsWatch ? "watch" : isNamed ? "get" : "list"
    case "POST":
      return isNamed ? undefined : "create"
    case "PUT":
      return isNamed ? "update" : undefined
    case "PATCH":
      return isNamed ? "patch" : undefined
    case "DELETE":
      return isNamed ? "delete" : "deletecollection"
    default:
      return undefined
  }
}
