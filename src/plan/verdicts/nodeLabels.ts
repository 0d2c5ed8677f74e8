import type * as Core from "kubernetes-types/core/v1.js"
import type { Node, PodSpec } from "../../kubernetes/meta/objects.ts"

/** The node labels that a Pod requires and that no node has, or none with this value. */
export const unknownNodeLabels = (
  spec: Partial<PodSpec>,
  nodes: ReadonlyArray<Node>
): ReadonlyArray<string> => {
  const known = new Set(nodes.flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})))
  const values = Object.entries(spec.nodeSelector ?? {}).filter(
    ([key, value]) => known.has(key) && nodes.every(({ metadata }) => metadata.labels?.[key] !== value)
  )
  return [
    ...[...new Set(requiredLabels(spec))].filter((key) => !known.has(key)),
    ...values.map(([key, value]) => `${key}: ${value}`)
  ]
}

const requiredLabels = ({
  nodeSelector = {},
  affinity = {},
  topologySpreadConstraints = []
}: Partial<PodSpec>): ReadonlyArray<string> => {
  const { nodeAffinity, podAffinity } = affinity
  const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return [
    ...Object.keys(nodeSelector),
    // One term suffices for a node: only labels in all of them are required.
    ...keysInAll(terms),
    ...(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ topologyKey }) => topologyKey
    ),
    ...topologySpreadConstraints
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")
      .map(({ topologyKey }) => topologyKey)
  ]
}

const keysInAll = (terms: ReadonlyArray<Core.NodeSelectorTerm>): ReadonlyArray<string> => {
  const [first = [], ...others] = terms.map(({ matchExpressions = [] }) =>
    matchExpressions.filter(({ operator }) => presenceOperators.has(operator)).map(({ key }) => key)
  )
  return first.filter((key) => others.every((keys) => keys.includes(key)))
}

/** The operators for which a node must have the label, unlike `NotIn` and `DoesNotExist`. */
const presenceOperators: ReadonlySet<string> = new Set(["In", "Exists", "Gt", "Lt"])
