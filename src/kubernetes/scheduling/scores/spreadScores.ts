import { spreadQuery, spreadsOf } from "../topologySpread.ts"
import { scoreMax } from "./normalizeScores.ts"
import type { PodSpread } from "../topologySpread.ts"
import type { Node } from "../../meta/objects.ts"
import type { PodToPlace, NodeInfos } from "../placementFilter.ts"
import type { NodeScorer } from "./nodeScorer.ts"

/**
 * A Pod without constraints that has a Service or a controller is spread over nodes and zones. Source:
 * podtopologyspread (scoring.go, plugin.go).
 */
export const spreadScores: NodeScorer = (pod, fitting, { nodeInfos }) => {
  const hasConstraints = (pod.spec.topologySpreadConstraints?.length ?? 0) > 0
  const spreads = hasConstraints ? spreadsOf(pod, "ScheduleAnyway") : defaultSpreads(pod, nodeInfos)
  if (spreads.length === 0) return undefined
  const isCounted = ({ metadata: { labels = {} } }: Node): boolean =>
    !hasConstraints || spreads.every(({ topologyKey }) => labels[topologyKey] !== undefined)
  const counted = fitting.filter(isCounted)
  const counts = spreads.map((spread) => {
    const { topologyKey, maxSkew, query } = spread
    const domains = new Set(counted.map(({ metadata }) => metadata.labels?.[topologyKey]))
    const size = topologyKey === hostnameLabel ? counted.length : domains.size
    // Upstream's weight: a key with many domains has few Pods in each and would count too little.
    return { topologyKey, maxSkew, pods: nodeInfos.podCountsByDomain(query), weight: Math.log(size + 2) }
  })
  const sums = fitting.map((node) => {
    if (!isCounted(node)) return undefined
    const { labels = {} } = node.metadata
    const sum = counts.reduce((total, { topologyKey, maxSkew, pods, weight }) => {
      const domain = labels[topologyKey]
      // With a large maxSkew in all sums, differences between them count less.
      return domain === undefined ? total : total + (pods.get(domain) ?? 0) * weight + (maxSkew - 1)
    }, 0)
    return Math.round(sum)
  })
  // As upstream scales: the node with the smallest sum gets 100.
  const countedSums = sums.filter((sum) => sum !== undefined)
  const [least, most] = [Math.min(...countedSums), Math.max(...countedSums)]
  return sums.map((sum) => {
    if (sum === undefined) return 0
    return most === 0 ? scoreMax : Math.trunc((scoreMax * (most + least - sum)) / most)
  })
}

const hostnameLabel = "kubernetes.io/hostname"

/** Source: podtopologyspread/plugin.go (systemDefaultConstraints). */
const defaultSkews = [
  { topologyKey: hostnameLabel, maxSkew: 3 },
  { topologyKey: "topology.kubernetes.io/zone", maxSkew: 5 }
]

const defaultSpreads = (pod: PodToPlace, nodeInfos: NodeInfos): ReadonlyArray<PodSpread> => {
  const selector = nodeInfos.defaultSpreadSelector(pod)
  if (selector === undefined) return []
  return defaultSkews.map(({ topologyKey, maxSkew }) => ({
    topologyKey,
    maxSkew,
    minDomains: 1,
    isSelfMatching: true,
    query: spreadQuery(pod, { topologyKey, selector, requiredNodeLabels: [], nodePolicies: {} })
  }))
}
