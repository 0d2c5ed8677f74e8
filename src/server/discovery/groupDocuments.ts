import { createHash } from "node:crypto"
import { apiVersionOf, storedKindOf, type Kind, type Subresource } from "../../kubernetes/meta/kinds.ts"
import { compareTexts } from "../../kubernetes/meta/text/compareTexts.ts"
import type { DiscoveredGroup, DiscoveredVersion } from "./discoveredGroups.ts"

/**
 * Source: apimachinery/pkg/apis/meta/v1/types.go (APIVersions, APIGroupList, APIGroup,
 * APIResourceList) and api/discovery.
 */
export const apiVersions = (core: DiscoveredGroup | undefined, serverAddress: string) => ({
  kind: "APIVersions",
  versions: (core?.versions ?? []).map(({ version }) => version),
  serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }]
})

export const apiGroupList = (groups: ReadonlyArray<DiscoveredGroup>) => ({
  kind: "APIGroupList",
  apiVersion: "v1",
  groups: groups.map(groupEntry)
})

export const apiGroup = (group: DiscoveredGroup) => ({
  kind: "APIGroup",
  apiVersion: "v1",
  ...groupEntry(group)
})

const groupEntry = ({ name, versions }: DiscoveredGroup) => {
  const versionEntries = versions.map(({ apiVersion, version }) => ({ groupVersion: apiVersion, version }))
  return { name, versions: versionEntries, preferredVersion: versionEntries[0] }
}

export const apiResourceList = ({ apiVersion, kinds }: DiscoveredVersion) => ({
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: apiVersion,
  resources: kinds
    .flatMap((kind) => [resourceEntry(kind), ...kind.subresources.map((it) => subresourceEntry(kind, it))])
    .toSorted((a, b) => compareTexts(a.name, b.name))
})

const resourceEntry = (kind: Kind) => ({
  name: kind.plural,
  singularName: kind.singular,
  namespaced: kind.namespaced,
  kind: kind.kind,
  verbs: kind.verbs,
  ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
  ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
  ...(kind.verbs.includes("get") ? { storageVersionHash: storageVersionHash(storedKindOf(kind)) } : {})
})

const subresourceEntry = (parent: Kind, { name, group, version, kind, verbs }: Subresource) => ({
  name: `${parent.plural}/${name}`,
  singularName: "",
  namespaced: parent.namespaced,
  ...(apiVersionOf({ group, version }) === apiVersionOf(parent) ? {} : { group, version }),
  kind,
  verbs
})

/**
 * Clients only compare the hash.
 *
 * Source: apiserver/pkg/endpoints/discovery/storageversionhash.go.
 */
const storageVersionHash = ({ group, version, kind }: Kind): string =>
  createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64")
