import type * as Core from "kubernetes-types/core/v1.js"
import type { Labels, Node } from "../meta/objects.ts"
import type { PersistentVolume } from "./storageTypes.ts"

/**
 * Whether a node can reach a volume, by the volume's node affinity.
 *
 * Source: staging/src/k8s.io/component-helpers/storage/volume/helpers.go (CheckNodeAffinity),
 * staging/src/k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go.
 */
export const isVolumeReachable = (
  { spec }: PersistentVolume,
  { metadata }: Pick<Node, "metadata">
): boolean => {
  const required = spec.nodeAffinity?.required
  return required === undefined || required.nodeSelectorTerms.some((term) => matchesTerm(term, metadata))
}

/** A term without requirements matches no node. */
const matchesTerm = (
  { matchExpressions = [], matchFields = [] }: Core.NodeSelectorTerm,
  { name, labels }: Node["metadata"]
): boolean =>
  matchExpressions.length + matchFields.length > 0 &&
  matchExpressions.every((it) => matchesRequirement(it, labels)) &&
  matchFields.every((it) => matchesRequirement(it, { "metadata.name": name }))

const matchesRequirement = (
  { key, operator, values = [] }: Core.NodeSelectorRequirement,
  labels: Labels = {}
): boolean => {
  const value = labels[key]
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value)
    case "NotIn":
      return value === undefined || !values.includes(value)
    case "Exists":
      return value !== undefined
    case "DoesNotExist":
      return value === undefined
    case "Gt":
      return value !== undefined && Number(value) > Number(values[0])
    case "Lt":
      return value !== undefined && Number(value) < Number(values[0])
    default:
      return false
  }
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

/**
 * Whether a volume lies in the zone and region of a node, by the labels of both. A node without such labels is in
 * every zone; a volume's label may name several zones, as in `a__b`.
 *
 * Source: pkg/scheduler/framework/plugins/volumezone/volume_zone.go (Filter).
 */
export const isInZoneOf = ({ metadata }: PersistentVolume, node: Pick<Node, "metadata">): boolean => {
  const { labels = {} } = metadata
  const nodeLabels = node.metadata.labels ?? {}
  if (!regionAndZoneLabels.some((key) => nodeLabels[key] !== undefined)) return true
  return regionAndZoneLabels.every((key) => {
    const zones = labels[key]
    if (zones === undefined) return true
    const zone = nodeLabels[key] ?? nodeLabels[stableLabels[key] ?? key]
    return zone !== undefined && zones.split("__").includes(zone)
  })
}

/**
 * Whether a class provisions volumes that the node can reach. Terms are alternatives; a term without requirements
 * matches no node.
 *
 * Source: pkg/apis/core/v1/helper/helpers.go (MatchTopologySelectorTerms).
 */
export const matchesTopologies = (
  terms: ReadonlyArray<Core.TopologySelectorTerm> | undefined,
  { metadata }: Pick<Node, "metadata">
): boolean =>
  terms === undefined ||
  terms.length === 0 ||
  terms.some(({ matchLabelExpressions = [] }) => {
    const hasValue = ({ key, values }: Core.TopologySelectorLabelRequirement): boolean =>
      values.includes(metadata.labels?.[key] ?? "")
    return matchLabelExpressions.length > 0 && matchLabelExpressions.every(hasValue)
  })
