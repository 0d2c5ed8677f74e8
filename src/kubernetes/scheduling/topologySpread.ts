import { matchesSelector } from "../meta/selectors/labelSelectors.ts"
import { labelKeyRequirements, withRequirements } from "./podAffinityTerms.ts"
import { selectsNode, toleratesNode } from "./nodeSelection.ts"
import { resolvableByPreemption, unresolvableByPreemption } from "./placementFilter.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Labels, Node } from "../meta/objects.ts"
import type { PodToPlace, PlacementFilter } from "./placementFilter.ts"
import type { DomainQuery } from "./podDomains.ts"

/** A constraint with later fields, which `kubernetes-types` does not have yet. */
export type SpreadConstraint = Readonly<Core.TopologySpreadConstraint> & {
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: string
  readonly nodeTaintsPolicy?: string
  readonly matchLabelKeys?: ReadonlyArray<string>
}

export interface PodSpread {
  readonly maxSkew: number
  readonly minDomains: number
  readonly topologyKey: string
  readonly isSelfMatching: boolean
  /** The query counts Pods on the nodes that the Pod might use. */
  readonly query: DomainQuery
}

/** Source: podtopologyspread/filtering.go. */
export const spreadsEvenly: PlacementFilter = (pod, nodeInfos) => {
  const spreads = spreadsOf(pod, "DoNotSchedule")
  if (spreads.length === 0) return undefined
  const limits = spreads.map((spread) => {
    const counts = nodeInfos.podCountsByDomain(spread.query)
    const fewest = counts.size < spread.minDomains ? 0 : fewestOf(counts)
    return { ...spread, counts, podsMax: fewest + spread.maxSkew - (spread.isSelfMatching ? 1 : 0) }
  })
  return ({ metadata: { labels = {} } }) => {
    for (const { topologyKey, counts, podsMax } of limits) {
      const domain = labels[topologyKey]
      if (domain === undefined)
        return unresolvableByPreemption(
          "node(s) didn't match pod topology spread constraints (missing required label)"
        )
      if ((counts.get(domain) ?? 0) > podsMax)
        return resolvableByPreemption("node(s) didn't match pod topology spread constraints")
    }
    return undefined
  }
}

const fewestOf = (counts: ReadonlyMap<string, number>): number => {
  let fewest = Infinity
  for (const count of counts.values()) if (count < fewest) fewest = count
  return fewest
}

type SpreadAction = "DoNotSchedule" | "ScheduleAnyway"

/** The constraints also depend on the Pod's labels and namespace. Source: podtopologyspread/common.go. */
export const spreadsOf = (pod: PodToPlace, action: SpreadAction): ReadonlyArray<PodSpread> => {
  const { topologySpreadConstraints } = pod.spec
  if (topologySpreadConstraints === undefined) return noSpreads
  const { labels, namespace } = pod.metadata
  const cached = spreadsBySpec.get(pod.spec)
  if (cached?.labels === labels && cached?.namespace === namespace) return cached?.[action] ?? noSpreads
  const prepared = {
    labels,
    namespace,
    DoNotSchedule: findSpreads(pod, "DoNotSchedule"),
    ScheduleAnyway: findSpreads(pod, "ScheduleAnyway")
  }
  if (Object.isFrozen(pod.spec)) spreadsBySpec.set(pod.spec, prepared)
  return prepared[action]
}

const noSpreads: ReadonlyArray<PodSpread> = []

interface PreparedSpreads extends Readonly<Record<SpreadAction, ReadonlyArray<PodSpread>>> {
  readonly labels: Labels | undefined
  readonly namespace: string | undefined
}

const spreadsBySpec = new WeakMap<object, PreparedSpreads>()

const findSpreads = (pod: PodToPlace, action: SpreadAction): ReadonlyArray<PodSpread> => {
  const constraints: ReadonlyArray<SpreadConstraint> = pod.spec.topologySpreadConstraints ?? []
  const used = constraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
  const keys = used.map(({ topologyKey }) => topologyKey)
  return used.map((constraint) => toSpread(pod, constraint, keys))
}

const toSpread = (
  pod: PodToPlace,
  constraint: SpreadConstraint,
  requiredNodeLabels: ReadonlyArray<string>
): PodSpread => {
  const { maxSkew, topologyKey, minDomains = 1, labelSelector, matchLabelKeys } = constraint
  const { labels } = pod.metadata
  const added = labelKeyRequirements(matchLabelKeys, labels, "In")
  const selector = withRequirements(labelSelector, added)
  return {
    maxSkew,
    minDomains,
    topologyKey,
    isSelfMatching: matchesSelector(selector, labels),
    query: spreadQuery(pod, { topologyKey, selector, requiredNodeLabels, nodePolicies: constraint })
  }
}

export const spreadQuery = (
  pod: PodToPlace,
  options: {
    readonly topologyKey: string
    readonly selector: LabelSelector | undefined
    readonly requiredNodeLabels: ReadonlyArray<string>
    readonly nodePolicies: Pick<SpreadConstraint, "nodeAffinityPolicy" | "nodeTaintsPolicy">
  }
): DomainQuery => {
  const { topologyKey, selector, requiredNodeLabels, nodePolicies } = options
  const { spec, metadata } = pod
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = nodePolicies
  const honorsAffinity = nodeAffinityPolicy === "Honor"
  const honorsTaints = nodeTaintsPolicy === "Honor"
  const nodeCriteria = [
    requiredNodeLabels,
    ...(honorsAffinity ? [spec.nodeSelector ?? null, spec.affinity?.nodeAffinity ?? null] : []),
    ...(honorsTaints ? [spec.tolerations ?? []] : [])
  ]
  const { namespace = "" } = metadata
  return {
    id: JSON.stringify([
      topologyKey,
      namespace,
      selector ?? null,
      honorsAffinity,
      honorsTaints,
      nodeCriteria
    ]),
    topologyKey,
    namespaces: new Set([namespace]),
    selectors: [selector],
    skipsTerminating: true,
    countsNode: (node: Node) => {
      const labels = node.metadata.labels ?? {}
      return (
        requiredNodeLabels.every((key) => labels[key] !== undefined) &&
        (!honorsAffinity || selectsNode(spec, node)) &&
        (!honorsTaints || toleratesNode(spec, node.spec.taints ?? []))
      )
    }
  }
}
