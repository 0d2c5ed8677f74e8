import { termMatchesPod, domainQueryOfTerms, affinityTermsOf } from "../podAffinityTerms.ts"
import { scoreMax } from "./normalizeScores.ts"
import type { NodeScorer } from "./nodeScorer.ts"

/** The required affinities of bound Pods count a little, too. Source: interpodaffinity/scoring.go. */
export const podAffinityScores: NodeScorer = (pod, fitting, { nodeInfos }) => {
  const weightedTerms: Array<{
    readonly topologyKey: string
    readonly weight: number
    readonly counts: ReadonlyMap<string, number>
  }> = []
  for (const { role, weight, term } of affinityTermsOf(pod)) {
    if (role !== "preferred") continue
    const { topologyKey } = term
    weightedTerms.push({
      topologyKey,
      weight,
      counts: nodeInfos.podCountsByDomain(domainQueryOfTerms([term], topologyKey, nodeInfos))
    })
  }
  for (const { weight, term, domains } of nodeInfos.termsOfBoundPods()) {
    if (weight !== 0 && termMatchesPod(term, pod, nodeInfos))
      weightedTerms.push({ topologyKey: term.topologyKey, weight, counts: domains })
  }
  if (weightedTerms.length === 0) return undefined
  const sums = fitting.map(({ metadata: { labels = {} } }) =>
    weightedTerms.reduce((sum, { topologyKey, weight, counts }) => {
      const domain = labels[topologyKey]
      return domain === undefined ? sum : sum + weight * (counts.get(domain) ?? 0)
    }, 0)
  )
  const least = Math.min(...sums)
  const difference = Math.max(...sums) - least
  return sums.map((sum) => (difference === 0 ? 0 : Math.trunc((scoreMax * (sum - least)) / difference)))
}
