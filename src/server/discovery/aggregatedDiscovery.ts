import { compareTexts } from "../../kubernetes/meta/text/compareTexts.ts"
import type { DiscoveredGroup } from "./discoveredGroups.ts"
import type { Kind, Subresource } from "../../kubernetes/meta/kinds.ts"

/** Source: api/apidiscovery/v2/types.go. */
export const apiGroupDiscoveryList = (groups: ReadonlyArray<DiscoveredGroup>, version: DiscoveryVersion) => ({
  kind: "APIGroupDiscoveryList",
  apiVersion: `apidiscovery.k8s.io/${version}`,
  metadata: {},
  items: groups.map((group) => ({
    metadata: group.name === "" ? {} : { name: group.name },
    versions: group.versions.map((served) => ({
      version: served.version,
      resources: served.kinds.map(resourceEntry),
      freshness: "Current"
    }))
  }))
})

export type DiscoveryVersion = "v2" | "v2beta1"

const resourceEntry = (kind: Kind) => ({
  resource: kind.plural,
  responseKind: { group: kind.group, version: kind.version, kind: kind.kind },
  scope: kind.namespaced ? "Namespaced" : "Cluster",
  singularResource: kind.singular,
  verbs: kind.verbs,
  ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
  ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
  ...(kind.subresources.length === 0
    ? {}
    : { subresources: kind.subresources.map(subresourceEntry).toSorted(byName) })
})

const subresourceEntry = ({ name, group, version, kind, verbs }: Subresource) => ({
  subresource: name,
  responseKind: { group, version, kind },
  verbs
})

const byName = (a: { readonly subresource: string }, b: { readonly subresource: string }): number =>
  compareTexts(a.subresource, b.subresource)
