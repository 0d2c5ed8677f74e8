import { resolvableByPreemption, unresolvableByPreemption } from "./placementFilter.ts"
import { termMatchesPod, domainQueryOfTerms, affinityTermsOf } from "./podAffinityTerms.ts"
import type { Node } from "../meta/objects.ts"
import type { PodToPlace, PlacementFilter, NodeInfos } from "./placementFilter.ts"
import type { AffinityTerm } from "./placementFilter.ts"

/** Source: interpodaffinity/filtering.go. */
export const satisfiesPodAffinity: PlacementFilter = (pod, nodeInfos) => {
  const terms = affinityTermsOf(pod)
  const affinityTerms = terms.flatMap(({ role, term }) => (role === "requiredAffinity" ? [term] : []))
  const antiAffinityTerms = terms.flatMap(({ role, term }) => (role === "requiredAntiAffinity" ? [term] : []))
  const meetsAffinity = affinityCheck(pod, affinityTerms, nodeInfos)
  const domainsToAvoid = antiAffinityTerms.map((term) =>
    occupiedDomains(term.topologyKey, countMatchingPods([term], term, nodeInfos))
  )
  const refusedDomains = domainsRefusedByBoundPods(pod, nodeInfos)
  if (meetsAffinity === undefined && domainsToAvoid.length === 0 && refusedDomains.length === 0)
    return undefined
  return (node) => {
    if (meetsAffinity?.(node) === false)
      return unresolvableByPreemption("node(s) didn't match pod affinity rules")
    if (domainsToAvoid.some((it) => it.includes(node))) return resolvableByPreemption(antiAffinityReason)
    if (refusedDomains.some((it) => it.includes(node)))
      return resolvableByPreemption(existingAntiAffinityReason)
    return undefined
  }
}

const antiAffinityReason = "node(s) didn't match pod anti-affinity rules"
const existingAntiAffinityReason = "node(s) didn't satisfy existing pods anti-affinity rules"

const countMatchingPods = (
  terms: ReadonlyArray<AffinityTerm>,
  { topologyKey }: AffinityTerm,
  nodeInfos: NodeInfos
): ReadonlyMap<string, number> =>
  nodeInfos.podCountsByDomain(domainQueryOfTerms(terms, topologyKey, nodeInfos))

interface OccupiedDomains {
  readonly includes: (node: Node) => boolean
}

const occupiedDomains = (topologyKey: string, counts: ReadonlyMap<string, number>): OccupiedDomains => ({
  includes: ({ metadata }) => {
    const domain = metadata.labels?.[topologyKey]
    return domain !== undefined && (counts.get(domain) ?? 0) > 0
  }
})

const domainsRefusedByBoundPods = (pod: PodToPlace, nodeInfos: NodeInfos): ReadonlyArray<OccupiedDomains> => {
  const found: Array<OccupiedDomains> = []
  for (const { role, term, domains } of nodeInfos.termsOfBoundPods()) {
    if (role === "requiredAntiAffinity" && termMatchesPod(term, pod, nodeInfos))
      found.push(occupiedDomains(term.topologyKey, domains))
  }
  return found
}

/** The first of Pods that want to be together may go to any node with the labels. */
const affinityCheck = (
  pod: PodToPlace,
  terms: ReadonlyArray<AffinityTerm>,
  nodeInfos: NodeInfos
): ((node: Node) => boolean) | undefined => {
  if (terms.length === 0) return undefined
  const domains = terms.map((term) => ({
    topologyKey: term.topologyKey,
    counts: countMatchingPods(terms, term, nodeInfos)
  }))
  const isFirstOfGroup =
    domains.every(({ counts }) => [...counts.values()].every((count) => count === 0)) &&
    terms.every((term) => termMatchesPod(term, pod, nodeInfos))
  return ({ metadata: { labels = {} } }) => {
    if (!domains.every(({ topologyKey }) => labels[topologyKey] !== undefined)) return false
    return (
      isFirstOfGroup ||
      domains.every(({ topologyKey, counts }) => (counts.get(labels[topologyKey] ?? "") ?? 0) > 0)
    )
  }
}
