import {
  apiVersionOf,
  groupResourceOf,
  storedKindOfObject,
  kindOfResource
} from "../kubernetes/meta/kinds.ts"
import { NotFound } from "../store/storeErrors.ts"
import { noObject, toClientError } from "./statusErrors.ts"
import { fieldsOrEmpty, textOrEmpty } from "../kubernetes/meta/fields.ts"
import type { ApiConnection } from "./apiConnection.ts"
import type { GroupResource, ObjectTypeMeta } from "../kubernetes/meta/kinds.ts"

export interface ServedResource {
  /** The plural with its group, such as `deployments.apps`. */
  readonly resource: GroupResource
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
}

/** Kinds that are not built in are discovered once per group and version. */
export interface ResourceDiscovery {
  /** Uses the preferred version unless `apiVersion` names another. */
  readonly resolveResource: (resource: GroupResource, apiVersion?: string) => Promise<ServedResource>
  readonly resolveTypeOf: (object: ObjectTypeMeta) => Promise<ServedResource>
  /** Undefined for a type that the server does not serve. */
  readonly findType: (type: ObjectTypeMeta) => Promise<ServedResource | undefined>
}

export const makeResourceDiscovery = ({ request }: Pick<ApiConnection, "request">): ResourceDiscovery => {
  const discoveries = new Map<string, Promise<ReadonlyArray<ServedResource>>>()
  const resourcesOf = (apiVersion: string): Promise<ReadonlyArray<ServedResource>> => {
    const cached = discoveries.get(apiVersion)
    if (cached !== undefined) return cached
    const discovery = discover(request, apiVersion)
    discoveries.set(apiVersion, discovery)
    // Failed and empty discoveries are not cached: a CustomResourceDefinition may follow.
    discovery.then(
      (found) => found.length === 0 && discoveries.delete(apiVersion),
      () => discoveries.delete(apiVersion)
    )
    return discovery
  }
  /** A CustomResourceDefinition may have been created since the last discovery. */
  const findServed = async (
    apiVersion: string,
    isWanted: (served: ServedResource) => boolean
  ): Promise<ServedResource | undefined> => {
    const cachedType = (await discoveries.get(apiVersion))?.find(isWanted)
    if (cachedType !== undefined) return cachedType
    discoveries.delete(apiVersion)
    return (await resourcesOf(apiVersion)).find(isWanted)
  }
  const findType: ResourceDiscovery["findType"] = async (type) => {
    const kind = storedKindOfObject(type)
    if (kind !== undefined)
      return { resource: groupResourceOf(kind), apiVersion: apiVersionOf(kind), ...kind }
    return findServed(type.apiVersion ?? "", (served) => served.kind === type.kind)
  }
  const preferredVersion = async (group: string): Promise<string> => {
    const { code, body } = await request({ path: `/apis/${group}` })
    return code === 200
      ? textOrEmpty(fieldsOrEmpty(fieldsOrEmpty(body)["preferredVersion"])["groupVersion"])
      : ""
  }
  return {
    resolveResource: async (resource, requestedVersion) => {
      const kind = kindOfResource(resource)
      if (kind !== undefined) return { resource, apiVersion: apiVersionOf(kind), ...kind }
      const [plural = "", ...group] = resource.split(".")
      const apiVersion =
        requestedVersion ?? (group.length === 0 ? "v1" : await preferredVersion(group.join(".")))
      const servedType = await findServed(apiVersion, (served) => served.plural === plural)
      if (servedType !== undefined) return servedType
      throw unknownTypeError(`the server doesn't have a resource type ${JSON.stringify(resource)}`)
    },
    resolveTypeOf: async (object) => {
      const servedType = await findType(object)
      if (servedType !== undefined) return servedType
      throw unknownTypeError(
        `no matches for kind ${JSON.stringify(object.kind)} in version "${object.apiVersion ?? ""}"`
      )
    },
    findType
  }
}

const unknownTypeError = (message: string): Error =>
  toClientError({ code: 400, body: { reason: "BadRequest", message } }, noObject)

/** Source: apimachinery/pkg/apis/meta/v1/types.go (APIResourceList). */
const discover = async (
  request: ApiConnection["request"],
  apiVersion: string
): Promise<ReadonlyArray<ServedResource>> => {
  if (apiVersion === "") return []
  const { code, body } = await request({
    path: apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  })
  const entries = fieldsOrEmpty(body)["resources"]
  if (code !== 200 || !Array.isArray(entries)) return []
  const [group] = apiVersion.includes("/") ? apiVersion.split("/") : []
  // Names with a slash are subresources.
  return entries
    .map(fieldsOrEmpty)
    .filter((entry) => !textOrEmpty(entry["name"]).includes("/"))
    .map((entry) => {
      const plural = textOrEmpty(entry["name"])
      const resource = group === undefined ? plural : `${plural}.${group}`
      return {
        resource,
        apiVersion,
        kind: textOrEmpty(entry["kind"]),
        plural,
        namespaced: entry["namespaced"] === true
      }
    })
}

export const resourcePath = (
  served: ServedResource,
  {
    namespace,
    name,
    subresource
  }: { readonly namespace?: string | undefined; readonly name?: string; readonly subresource?: string }
): string => {
  const { apiVersion, plural, namespaced } = served
  const namespaceParts = namespaced && namespace !== undefined ? ["namespaces", namespace] : []
  const collectionParts = [
    apiVersion.includes("/") ? "apis" : "api",
    ...apiVersion.split("/"),
    ...namespaceParts,
    plural
  ]
  const objectParts = [name, subresource].filter((it) => it !== undefined)
  // An empty name would address the whole collection.
  if (objectParts.includes("")) throw new NotFound({ resource: served.resource, resourceName: "" })
  return `/${[...collectionParts, ...objectParts].map(encodeURIComponent).join("/")}`
}
