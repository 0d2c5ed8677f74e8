import { allVerbs, kindOfResource } from "../domain/kinds.ts"
import { resourceMeant } from "../domain/resourceNames.ts"
import type { GroupResource, Verb } from "../domain/kinds.ts"
import type { UserInfo } from "../domain/userInfo.ts"

/** Which requests are meant; what is left out does not matter. */
export interface RequestFilter {
  readonly verb?: Verb | ReadonlyArray<Verb>
  /** As the library names it: `pods`, `deployments.apps`. */
  readonly resource?: GroupResource | ReadonlyArray<GroupResource>
  /** `status`, `scale`, `eviction`; an empty text for the object itself. */
  readonly subresource?: string
  readonly namespace?: string
  /** Of the object; of one that is created also where its body alone says so. */
  readonly name?: string | RegExp
  readonly userAgent?: string | RegExp
  /** Name of the user that it is made as: `charthouse-admin`, or the one that is impersonated. */
  readonly user?: string | RegExp
}

/** What of a request a filter looks at. */
export interface Filtered {
  readonly verb: string
  readonly resource: GroupResource
  readonly subresource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly userAgent: string
  readonly user: UserInfo
}

const fields = ["verb", "resource", "subresource", "namespace", "name", "userAgent", "user"] as const

/** Reads a filter once. Throws a `TypeError` with a sentence where it can never be met. */
export const readFilter = (filter: RequestFilter = {}): ((request: Filtered) => boolean) => {
  requireMeant(filter)
  const { verb, resource, subresource, namespace, name, userAgent, user } = filter
  const verbs = verb === undefined ? undefined : [verb].flat()
  const resources = resource === undefined ? undefined : [resource].flat()
  return (request) =>
    (verbs === undefined || verbs.some((it) => it === request.verb)) &&
    (resources === undefined || resources.includes(request.resource)) &&
    (subresource === undefined || subresource === (request.subresource ?? "")) &&
    (namespace === undefined || namespace === request.namespace) &&
    (name === undefined || isLike(request.name ?? "", name)) &&
    (userAgent === undefined || isLike(request.userAgent, userAgent)) &&
    (user === undefined || isMatch(request.user.username, user))
}

/** An agent's text begins with its name: `kubectl` is meant by `kubectl/v1.36.0 (linux/amd64)`. */
const isLike = (text: string, wanted: string | RegExp): boolean =>
  isMatch(text, wanted) || (typeof wanted === "string" && text.startsWith(`${wanted}/`))

const isMatch = (text: string, wanted: string | RegExp): boolean =>
  typeof wanted === "string"
    ? text === wanted
    : // Unlike `test`, it does not go on where a pattern of everybody's (`/g`) has ended before.
      text.search(wanted) >= 0

const requireMeant = (filter: object): void => {
  for (const [field, value] of Object.entries(filter)) {
    if (value === undefined) continue
    const words = JSON.stringify(value) ?? String(value)
    switch (field) {
      case "verb":
        for (const verb of [value].flat()) requireVerb(verb)
        break
      case "resource":
        for (const resource of [value].flat()) requireResource(resource)
        break
      case "subresource":
      case "namespace":
        if (typeof value !== "string") throw new TypeError(`${field} must be a text, not ${words}`)
        break
      case "name":
      case "userAgent":
      case "user":
        if (typeof value !== "string" && !(value instanceof RegExp)) {
          throw new TypeError(`${field} must be a text or a pattern, not ${words}`)
        }
        break
      default:
        throw new TypeError(`requests have no field ${JSON.stringify(field)}: ${fields.join(", ")} are`)
    }
  }
}

const requireVerb = (verb: unknown): void => {
  if (allVerbs.some((it) => it === verb)) return
  throw new TypeError(`${JSON.stringify(verb)} is no verb: ${allVerbs.join(", ")} are`)
}

/** A custom resource may come later; a kind without its group never will. */
const requireResource = (resource: unknown): void => {
  if (typeof resource !== "string" || resource === "") {
    throw new TypeError(`resource must be a text such as "deployments.apps", not ${JSON.stringify(resource)}`)
  }
  if (kindOfResource(resource) !== undefined || resource.includes(".")) return
  const meant = resourceMeant(resource)
  const hint = meant === undefined ? "" : `: ${JSON.stringify(meant)} is`
  throw new TypeError(`${JSON.stringify(resource)} is no resource${hint}`)
}
