import { groupResourceOf, storedKindOf } from "../domain/kinds.ts"
import { kindServed } from "./served.ts"
import { methodNotAllowed, noSuchPage, noSuchPath } from "./statuses.ts"
import { reviewOf } from "./reviews.ts"
import { create, update } from "./verbs/write.ts"
import { get, list } from "./verbs/read.ts"
import { patch } from "./verbs/patch.ts"
import { remove, removeCollection } from "./verbs/remove.ts"
import { bindByName } from "./subresources/binding.ts"
import { subresourceVerb } from "./subresources/subresources.ts"
import type { Kind } from "../domain/kinds.ts"
import type { Verb } from "./call.ts"
import type { ResourceTarget, ServedTarget } from "./target.ts"

export interface Route {
  readonly target: ServedTarget
  readonly verb: string
  readonly perform: Verb
}

const verbs: Readonly<Record<string, Verb>> = {
  get,
  list,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection
}

/**
 * Resolves a method and a path. Throws a `Refusal` when nothing is served there.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/installer.go.
 */
export const routeOf = (
  method: string,
  resource: ResourceTarget,
  { wantsWatch, kinds }: { readonly wantsWatch: boolean; readonly kinds: ReadonlyArray<Kind> }
): Route => {
  const kind = kindServed(kinds, resource)
  if (kind === undefined) throw nothingAt(kinds, resource)
  if (!kind.namespaced && resource.namespace !== undefined) throw noSuchPath()
  const isAcrossNamespaces = kind.namespaced && resource.namespace === undefined
  if (isAcrossNamespaces && resource.name !== undefined) throw noSuchPath()
  const target: ServedTarget = { ...resource, kind, resource: groupResourceOf(storedKindOf(kind)) }
  if (resource.subresource !== undefined) return subresourceRoute(method, target)
  const verb = verbOf(method, { isNamed: resource.name !== undefined, wantsWatch })
  if (verb === undefined || !kind.verbs.some((it) => it === verb)) throw methodNotAllowed()
  if (isAcrossNamespaces && verb !== "list" && verb !== "watch") throw methodNotAllowed()
  const perform = target.resource === "bindings" ? bindByName : (reviewOf(kind) ?? verbs[verb])
  return { target, verb, perform: perform ?? list }
}

/** The 404 for a path: a Status below a served group, plain text elsewhere. */
export const nothingAt = (
  kinds: ReadonlyArray<Kind>,
  { group, version }: Pick<ResourceTarget, "group" | "version">
) =>
  kinds.some((kind) => kind.group === group && (group !== "" || kind.version === version))
    ? noSuchPath()
    : noSuchPage()

const subresourceRoute = (method: string, target: ServedTarget): Route => {
  const verb = verbOf(method, { isNamed: method !== "POST", wantsWatch: false })
  const handler = subresourceVerb(target, verb ?? "")
  if (handler === undefined) throw noSuchPath()
  if (handler === "notAllowed" || verb === undefined) throw methodNotAllowed()
  return { target, verb, perform: handler }
}

/** The requested verb, even when it is not served; the method in lower case when there is none. */
export const verbAsked = (
  method: string,
  { name, subresource, isWatchPath }: ResourceTarget,
  wantsWatch: boolean
): string => {
  const isNamed = subresource === undefined ? name !== undefined : method !== "POST"
  const parts = { isNamed, wantsWatch: subresource === undefined && (wantsWatch || isWatchPath) }
  return verbOf(method, parts) ?? method.toLowerCase()
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
