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
 * Serves discovery below `/api` and `/apis`: aggregated if the client accepts that, else per group and version.
 * Undefined for any other path; throws a `Refusal` when no form is acceptable.
 *
 * Source: staging/src/k8s.io/apiserver/pkg/endpoints/discovery.
 */
export const discoveryDocument = (
  path: string,
  { accept, kinds, serverAddress }: DiscoveryRequest
): ApiDocument | undefined => {
  const groups = cachedGroups(kinds)
  const [root, ...below] = path.split("/").filter((segment) => segment !== "")
  if (root !== "api" && root !== "apis") return undefined
  const isCore = root === "api"
  if (below.length > 0) {
    const [group = "", version, ...excess] = isCore ? ["", ...below] : below
    if (excess.length > 0 || (group === "") !== isCore) return undefined
    return groupDocument(groups, { group, version, accept })
  }
  const form = chooseMediaType(accept, ["application/json", ...aggregatedForms.keys()])
  const version = aggregatedForms.get(form)
  if (version !== undefined) return groups.aggregated(root, version)
  if (isCore) return jsonDocument(apiVersions(groups.find(""), serverAddress))
  return jsonDocument(apiGroupList(groups.all.filter(({ name }) => name !== "")))
}

const formOf = (version: DiscoveryVersion): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

const aggregatedForms: ReadonlyMap<string, DiscoveryVersion> = new Map([
  [formOf("v2"), "v2"],
  [formOf("v2beta1"), "v2beta1"]
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
  chooseMediaType(accept, ["application/json"])
  if (version === undefined) return jsonDocument(apiGroup(foundGroup))
  const served = foundGroup.versions.find((it) => it.version === version)
  return served === undefined ? undefined : jsonDocument(apiResourceList(served))
}

interface GroupIndex {
  readonly all: ReadonlyArray<DiscoveredGroup>
  readonly find: (name: string) => DiscoveredGroup | undefined
  readonly aggregated: (root: "api" | "apis", version: DiscoveryVersion) => ApiDocument
}

const indexByKinds = new WeakMap<ReadonlyArray<Kind>, GroupIndex>()

const cachedGroups = (kinds: ReadonlyArray<Kind>): GroupIndex => {
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
        documents.get(key) ?? jsonDocument(apiGroupDiscoveryList(groups, version), formOf(version))
      documents.set(key, document)
      return document
    }
  }
}
