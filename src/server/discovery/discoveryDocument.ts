import { chooseMediaType, jsonDocument, type ApiDocument } from "../http/apiDocument.ts"
import { apiGroupDiscoveryList, type DiscoveryVersion } from "./aggregatedDiscovery.ts"
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./groupDocuments.ts"
import { groupKinds, type DiscoveredGroup } from "./discoveredGroups.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"

interface DiscoveryRequest {
  readonly accept: string | undefined
  /** Documents are cached per array of kinds. */
  readonly kinds: ReadonlyArray<Kind>
  readonly serverAddress: string
}

/**
 * Undefined for a path outside of discovery; throws a `Refusal` when the client accepts no media type of discovery.
 *
 * Source: apiserver/pkg/endpoints/discovery.
 */
export const discoveryDocument = (
  path: string,
  { accept, kinds, serverAddress }: DiscoveryRequest
): ApiDocument | undefined => {
  const groups = groupIndexOf(kinds)
  const [root, ...afterRoot] = path.split("/").filter((segment) => segment !== "")
  if (root !== "api" && root !== "apis") return undefined
  const isCore = root === "api"
  if (afterRoot.length > 0) {
    const [group = "", version, ...excess] = isCore ? ["", ...afterRoot] : afterRoot
    if (excess.length > 0) return undefined
    return groupDocument(groups, { group, version, accept })
  }
  const mediaType = chooseMediaType(accept, ["application/json", ...versionByMediaType.keys()])
  const version = versionByMediaType.get(mediaType)
  if (version !== undefined) return groups.aggregated(root, version)
  if (isCore) return jsonDocument(apiVersions(groups.find(""), serverAddress))
  return jsonDocument(apiGroupList(groups.all.filter(({ name }) => name !== "")))
}

const mediaTypeOf = (version: DiscoveryVersion): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

const versionByMediaType: ReadonlyMap<string, DiscoveryVersion> = new Map([
  [mediaTypeOf("v2"), "v2"],
  [mediaTypeOf("v2beta1"), "v2beta1"]
])

const groupDocument = (
  groups: GroupIndex,
  {
    group,
    version,
    accept
  }: {
    readonly group: string
    readonly version: string | undefined
    readonly accept: string | undefined
  }
): ApiDocument | undefined => {
  const foundGroup = groups.find(group)
  if (foundGroup === undefined) return undefined
  // Throws if the client does not accept the only media type of these documents.
  chooseMediaType(accept, ["application/json"])
  if (version === undefined) return jsonDocument(apiGroup(foundGroup))
  const foundVersion = foundGroup.versions.find((it) => it.version === version)
  return foundVersion === undefined ? undefined : jsonDocument(apiResourceList(foundVersion))
}

interface GroupIndex {
  readonly all: ReadonlyArray<DiscoveredGroup>
  readonly find: (name: string) => DiscoveredGroup | undefined
  readonly aggregated: (root: "api" | "apis", version: DiscoveryVersion) => ApiDocument
}

const indexByKinds = new WeakMap<ReadonlyArray<Kind>, GroupIndex>()

const groupIndexOf = (kinds: ReadonlyArray<Kind>): GroupIndex => {
  const index = indexByKinds.get(kinds) ?? indexGroups(kinds)
  indexByKinds.set(kinds, index)
  return index
}

const indexGroups = (kinds: ReadonlyArray<Kind>): GroupIndex => {
  const all = groupKinds(kinds)
  const documents = new Map<string, ApiDocument>()
  return {
    all,
    find: (name) => all.find((group) => group.name === name),
    aggregated: (root, version) => {
      const key = `${root} ${version}`
      const groups = all.filter(({ name }) => (name === "") === (root === "api"))
      const document =
        documents.get(key) ?? jsonDocument(apiGroupDiscoveryList(groups, version), mediaTypeOf(version))
      documents.set(key, document)
      return document
    }
  }
}
