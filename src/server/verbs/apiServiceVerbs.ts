import * as Effect from "effect/Effect"
import { resources, type Kind } from "../../kubernetes/meta/kinds.ts"
import { timestampOf } from "../../kubernetes/meta/amounts/timestamps.ts"
import { localApiService } from "../../kubernetes/core/localApiServices.ts"
import { toObjectAnswer, type ApiCall, type VerbHandler } from "../requests/apiCall.ts"
import { readListSelection } from "../requests/listSelection.ts"
import { servedResources } from "../servedResources.ts"
import { getVerb, listVerb } from "./readVerbs.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** APIServices of the groups and versions that this server itself serves, created with the cluster. */
const localServices = ({ services }: ApiCall): ReadonlyArray<KubeObject> => {
  const { metadata } = services.view.get(resources.namespaces, "default") ?? {}
  const createdTimestamp = metadata?.creationTimestamp ?? timestampOf(services.nowMillis())
  const { kinds } = servedResources(services)
  const versions = new Map<string, Kind>(kinds.map((kind) => [`${kind.version}.${kind.group}`, kind]))
  return [...versions.values()].map((kind) => localApiService(kind, createdTimestamp))
}

const byName = (a: KubeObject, b: KubeObject): number => (a.metadata.name < b.metadata.name ? -1 : 1)

/** On the last page, adds those of `localServices` that are not stored. */
const listApiServices: VerbHandler = (call) =>
  Effect.map(listVerb(call), (answer) => {
    if (answer.type !== "list" || answer.page.continue !== undefined) return answer
    const { items } = answer.page
    const { query, services, target } = call
    const names = new Set(items.map(({ metadata }) => metadata.name))
    const isOnEarlierPage = (name: string): boolean =>
      query.text("continue") !== undefined && services.view.get(target.resource, name) !== undefined
    const local = localServices(call)
      .filter(readListSelection(call).matches)
      .filter(({ metadata: { name } }) => !names.has(name) && !isOnEarlierPage(name))
    return { ...answer, page: { ...answer.page, items: [...items, ...local].toSorted(byName) } }
  })

const getApiService: VerbHandler = (call) =>
  Effect.catchTag(getVerb(call), "NotFound", (notFound) => {
    const local = localServices(call).find(({ metadata }) => metadata.name === call.target.name)
    return local === undefined ? Effect.fail(notFound) : Effect.succeed(toObjectAnswer(local))
  })

/** Undefined for verbs that do not read. */
export const apiServiceVerb = (verb: string): VerbHandler | undefined =>
  verb === "list" ? listApiServices : verb === "get" ? getApiService : undefined
