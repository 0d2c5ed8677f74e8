import { allResourceVerbs, kindOfResource } from "../../kubernetes/meta/kinds.ts"
import { guessResource } from "../../kubernetes/meta/resourceNames.ts"
import type { GroupResource, ResourceVerb } from "../../kubernetes/meta/kinds.ts"
import type { UserInfo } from "../../kubernetes/meta/userInfo.ts"

export interface RequestFilter {
  readonly verb?: ResourceVerb | ReadonlyArray<ResourceVerb>
  /** Group resources: `pods`, `deployments.apps`. */
  readonly resource?: GroupResource | ReadonlyArray<GroupResource>
  /** `status`, `scale`, `eviction`; empty for the object itself. */
  readonly subresource?: string
  readonly namespace?: string
  /** Name of the object; for a create, also the one in the body. */
  readonly name?: string | RegExp
  readonly userAgent?: string | RegExp
  /** User name after impersonation: `charthouse-admin` for the owner of the token. */
  readonly user?: string | RegExp
}

export interface FilteredRequest {
  readonly verb: string
  readonly resource: GroupResource
  readonly subresource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly userAgent: string
  readonly user: UserInfo
}

const filterFields = ["verb", "resource", "subresource", "namespace", "name", "userAgent", "user"] as const

/** Throws a `TypeError` for a filter that can never match. */
export const compileRequestFilter = (filter: RequestFilter = {}): ((request: FilteredRequest) => boolean) => {
  validateFilter(filter)
  const { verb, resource, subresource, namespace, name, userAgent, user } = filter
  const verbs = verb === undefined ? undefined : [verb].flat()
  const resources = resource === undefined ? undefined : [resource].flat()
  return (request) =>
    (verbs === undefined || verbs.some((it) => it === request.verb)) &&
    (resources === undefined || resources.includes(request.resource)) &&
    (subresource === undefined || subresource === (request.subresource ?? "")) &&
    (namespace === undefined || namespace === request.namespace) &&
    (name === undefined || matchesPattern(request.name ?? "", name)) &&
    (userAgent === undefined || matchesUserAgent(request.userAgent, userAgent)) &&
    (user === undefined || matchesPattern(request.user.username, user))
}

/** A text also matches up to a slash: `kubectl` matches `kubectl/v1.36.0 (linux/amd64)`. */
const matchesUserAgent = (text: string, pattern: string | RegExp): boolean =>
  matchesPattern(text, pattern) || (typeof pattern === "string" && text.startsWith(`${pattern}/`))

const matchesPattern = (text: string, pattern: string | RegExp): boolean =>
  typeof pattern === "string"
    ? text === pattern
    : // Unlike `test`, `search` ignores the lastIndex of a `/g` pattern.
      text.search(pattern) >= 0

const validateFilter = (filter: object): void => {
  for (const [field, value] of Object.entries(filter)) {
    if (value === undefined) continue
    const shownValue = valueText(value)
    if (Array.isArray(value) && value.length === 0)
      throw new TypeError(`${field} must not be an empty list: without it, requests of every ${field} match`)
    switch (field) {
      case "verb":
        for (const verb of [value].flat()) requireVerb(verb)
        break
      case "resource":
        for (const resource of [value].flat()) requireResource(resource)
        break
      case "subresource":
      case "namespace":
        if (typeof value !== "string") throw new TypeError(`${field} must be a text, not ${shownValue}`)
        break
      case "name":
      case "userAgent":
      case "user":
        if (typeof value !== "string" && !(value instanceof RegExp)) {
          throw new TypeError(`${field} must be a text or a pattern, not ${shownValue}`)
        }
        break
      default:
        throw new TypeError(
          `${JSON.stringify(field)} is no field of a request; the fields are ${filterFields.join(", ")}`
        )
    }
  }
}

/** JSON, and for what JSON has no form of its own, such as a pattern, its text in JavaScript. */
const valueText = (value: unknown): string =>
  value instanceof RegExp || typeof value === "bigint"
    ? String(value)
    : (JSON.stringify(value) ?? String(value))

const requireVerb = (verb: unknown): void => {
  if (allResourceVerbs.some((it) => it === verb)) return
  throw new TypeError(`${valueText(verb)} is no verb; the verbs are ${allResourceVerbs.join(", ")}`)
}

/** A resource with a group may be a custom resource that is defined later. */
const requireResource = (resource: unknown): void => {
  if (typeof resource !== "string" || resource === "") {
    throw new TypeError(`resource must be a text such as "deployments.apps", not ${valueText(resource)}`)
  }
  if (kindOfResource(resource) !== undefined || resource.includes(".")) return
  const suggestion = guessResource(resource)
  const hint = suggestion === undefined ? "" : `; did you mean ${JSON.stringify(suggestion)}?`
  throw new TypeError(`${JSON.stringify(resource)} is no resource${hint}`)
}
