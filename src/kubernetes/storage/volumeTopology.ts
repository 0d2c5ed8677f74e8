import { matchesNodeSelector } from "../meta/selectors/nodeSelectorTerms.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { Node } from "../meta/objects.ts"
import type { PersistentVolume } from "./storageTypes.ts"

/** Source: volume/helpers.go (CheckNodeAffinity). */
export const isVolumeReachable = ({ spec }: PersistentVolume, node: Pick<Node, "metadata">): boolean => {
  const required = spec.nodeAffinity?.required
  return required === undefined || matchesNodeSelector(required, node)
}

const regionAndZoneLabels: ReadonlyArray<string> = [
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region"
]

const stableLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region"
}

/** A node without labels is in every zone. Source: volume_zone.go (Filter). */
export const isInZoneOf = (
  { metadata }: Pick<PersistentVolume, "metadata">,
  node: Pick<Node, "metadata">
): boolean => {
  const { labels = {} } = metadata
  const nodeLabels = node.metadata.labels ?? {}
  if (!regionAndZoneLabels.some((key) => nodeLabels[key] !== undefined)) return true
  return regionAndZoneLabels.every((key) => {
    const zones = labels[key]?.split("__") ?? []
    if (zones.length === 0 || zones.includes("")) return true
    const zone = nodeLabels[key] ?? nodeLabels[stableLabels[key] ?? key]
    return zone !== undefined && zones.includes(zone)
  })
}

/**
 * Terms are alternatives; a term without requirements matches no node. Source: helper/helpers.go
 * (MatchTopologySelectorTerms).
 */
export const matchesTopologies = (
  terms: ReadonlyArray<Core.TopologySelectorTerm> | undefined,
  { metadata }: Pick<Node, "metadata">
): boolean =>
  terms === undefined ||
  terms.length === 0 ||
  terms.some(({ matchLabelExpressions = [] }) => {
    const hasValue = ({ key, values }: Core.TopologySelectorLabelRequirement): boolean => {
      const value = metadata.labels?.[key]
      return value !== undefined && values.includes(value)
    }
    return matchLabelExpressions.length > 0 && matchLabelExpressions.every(hasValue)
  })
