import { termMatches, termQuery, affinityTermsOf } from "../podAffinityTerms.ts"
import { scoreMax } from "./normalizeScores.ts"
import type { NodeScorer } from "./nodeScorer.ts"

/** A required affinity of Pods on nodes counts a little, too. Source: interpodaffinity/scoring.go. */
export const podAffinityScores: NodeScorer = (pod, fitting, { world }) => {
  const weighted: Array<{
    readonly topologyKey: string
    readonly weight: number
    readonly counts: ReadonlyMap<string, number>
  }> = []
  for (const { role, weight, term } of affinityTermsOf(pod)) {
    if (role !== "preferred") continue
    const { topologyKey } = term
    weighted.push({ topologyKey, weight, counts: world.podsByDomain(termQuery([term], topologyKey, world)) })
  }
  for (const { weight, term, domains } of world.boundTerms()) {
    if (weight !== 0 && termMatches(term, pod, world))
      weighted.push({ topologyKey: term.topologyKey, weight, counts: domains })
  }
  if (weighted.length === 0) return undefined
  const sums = fitting.map(({ metadata: { labels = {} } }) =>
    weighted.reduce((sum, { topologyKey, weight, counts }) => {
      const domain = labels[topologyKey]
      return domain === undefined ? sum : sum + weight * (counts.get(domain) ?? 0)
    }, 0)
  )
  const least = Math.min(...sums)
  const difference = Math.max(...sums) - least
  return sums.map((sum) => (difference === 0 ? 0 : Math.trunc((scoreMax * (sum - least)) / difference)))
}
