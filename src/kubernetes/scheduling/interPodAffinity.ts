import { resolvableByPreemption, unresolvableByPreemption } from "./placementFilter.ts"
import { termMatches, termQuery, affinityTermsOf } from "./podAffinityTerms.ts"
import type { Node } from "../meta/objects.ts"
import type { PodToPlace, PlacementFilter, PlacementWorld } from "./placementFilter.ts"
import type { AffinityTerm } from "./placementFilter.ts"

/** Source: interpodaffinity/filtering.go. */
export const satisfiesPodAffinity: PlacementFilter = (pod, world) => {
  const terms = affinityTermsOf(pod)
  const affinityTerms = terms.flatMap(({ role, term }) => (role === "requiredAffinity" ? [term] : []))
  const antiAffinityTerms = terms.flatMap(({ role, term }) => (role === "requiredAntiAffinity" ? [term] : []))
  const meetsAffinity = affinityCheck(pod, affinityTerms, world)
  const ownAntiAffinity = antiAffinityTerms.map((term) =>
    occupiedDomains(term.topologyKey, countMatchingPods([term], term, world))
  )
  const othersAntiAffinity = existingAntiAffinity(pod, world)
  if (meetsAffinity === undefined && ownAntiAffinity.length === 0 && othersAntiAffinity.length === 0)
    return undefined
  return (node) => {
    if (meetsAffinity?.(node) === false)
      return unresolvableByPreemption("node(s) didn't match pod affinity rules")
    if (ownAntiAffinity.some((it) => it.include(node))) return resolvableByPreemption(antiAffinityReason)
    if (othersAntiAffinity.some((it) => it.include(node)))
      return resolvableByPreemption(existingAntiAffinityReason)
    return undefined
  }
}

const antiAffinityReason = "node(s) didn't match pod anti-affinity rules"
const existingAntiAffinityReason = "node(s) didn't satisfy existing pods anti-affinity rules"

const countMatchingPods = (
  terms: ReadonlyArray<AffinityTerm>,
  { topologyKey }: AffinityTerm,
  world: PlacementWorld
): ReadonlyMap<string, number> => world.podsByDomain(termQuery(terms, topologyKey, world))

interface OccupiedDomains {
  readonly include: (node: Node) => boolean
}

const occupiedDomains = (topologyKey: string, counts: ReadonlyMap<string, number>): OccupiedDomains => ({
  include: ({ metadata }) => {
    const domain = metadata.labels?.[topologyKey]
    return domain !== undefined && (counts.get(domain) ?? 0) > 0
  }
})

const existingAntiAffinity = (pod: PodToPlace, world: PlacementWorld): ReadonlyArray<OccupiedDomains> => {
  const found: Array<OccupiedDomains> = []
  for (const { role, term, domains } of world.boundTerms()) {
    if (role === "requiredAntiAffinity" && termMatches(term, pod, world))
      found.push(occupiedDomains(term.topologyKey, domains))
  }
  return found
}

/** The first of Pods that want to be together may go to any node with the labels. */
const affinityCheck = (
  pod: PodToPlace,
  terms: ReadonlyArray<AffinityTerm>,
  world: PlacementWorld
): ((node: Node) => boolean) | undefined => {
  if (terms.length === 0) return undefined
  const domains = terms.map((term) => ({
    topologyKey: term.topologyKey,
    counts: countMatchingPods(terms, term, world)
  }))
  const isFirst =
    domains.every(({ counts }) => [...counts.values()].every((count) => count === 0)) &&
    terms.every((term) => termMatches(term, pod, world))
  return ({ metadata: { labels = {} } }) => {
    if (!domains.every(({ topologyKey }) => labels[topologyKey] !== undefined)) return false
    return (
      isFirst || domains.every(({ topologyKey, counts }) => (counts.get(labels[topologyKey] ?? "") ?? 0) > 0)
    )
  }
}
