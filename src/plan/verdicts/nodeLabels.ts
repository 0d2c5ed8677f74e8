import type * as Core from "kubernetes-types/core/v1.js"
import { matchesSelector } from "../../kubernetes/meta/selectors/labelSelectors.ts"
import type { Labels, Node, PodSpec } from "../../kubernetes/meta/objects.ts"

export const unknownNodeLabels = (
  spec: Partial<PodSpec>,
  nodes: ReadonlyArray<Node>
): ReadonlyArray<string> => {
  const { os, affinity = {}, topologySpreadConstraints = [] } = spec
  // Source: pkg/kubelet/lifecycle/predicate.go (rejectPodAdmissionBasedOnOSField).
  const nodeSelector: Labels = {
    ...spec.nodeSelector,
    ...(os === undefined ? {} : { "kubernetes.io/os": os.name })
  }
  const terms = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const isUnknown = makeUnknownKeyTest(nodes)
  const values = Object.entries(nodeSelector).filter(
    ([key, value]) => !isUnknown(key) && !hasNodeWith(nodes, key, [value])
  )
  const keys = [
    ...Object.keys(nodeSelector),
    ...(affinity.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ topologyKey }) => topologyKey
    ),
    ...topologySpreadConstraints
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule")
      .map(({ topologyKey }) => topologyKey)
  ]
  return [
    ...new Set([
      ...keys.filter(isUnknown),
      ...values.map(([key, value]) => `${key}: ${value}`),
      ...unknownLabelsInTerms(terms, nodes)
    ])
  ]
}

/** Pods repelled by podAntiAffinity may share every node that lacks the label. */
export const unknownTopologyKeys = (
  { affinity }: Partial<PodSpec>,
  nodes: ReadonlyArray<Node>,
  podLabels: ReadonlyArray<Labels>
): ReadonlyArray<string> =>
  (affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [])
    .filter(
      ({ labelSelector }) =>
        labelSelector !== undefined && podLabels.some((labels) => matchesSelector(labelSelector, labels))
    )
    .map(({ topologyKey }) => topologyKey)
    .filter(makeUnknownKeyTest(nodes))

const makeUnknownKeyTest = (nodes: ReadonlyArray<Node>): ((key: string) => boolean) => {
  const knownKeys = new Set(nodes.flatMap(({ metadata }) => Object.keys(metadata.labels ?? {})))
  return (key) => !knownKeys.has(key)
}

const hasNodeWith = (nodes: ReadonlyArray<Node>, key: string, values: ReadonlyArray<string>): boolean =>
  nodes.some(({ metadata }) => {
    const value = metadata.labels?.[key]
    return value !== undefined && values.includes(value)
  })

/** A node need match only one term. */
export const unknownLabelsInTerms = (
  terms: ReadonlyArray<Core.NodeSelectorTerm>,
  nodes: ReadonlyArray<Node>
): ReadonlyArray<string> => {
  const isUnknown = makeUnknownKeyTest(nodes)
  const labelsByTerm = terms.map(({ matchExpressions = [] }) =>
    matchExpressions.flatMap(({ key, operator, values = [] }) => {
      if (!presenceOperators.has(operator)) return []
      if (isUnknown(key)) return [key]
      return operator !== "In" || hasNodeWith(nodes, key, values) ? [] : [`${key}: ${values.join(" or ")}`]
    })
  )
  return labelsByTerm.every((labels) => labels.length > 0) ? labelsByTerm.flat() : []
}

const presenceOperators: ReadonlySet<string> = new Set(["In", "Exists", "Gt", "Lt"])
