import { affinityTermsOf } from "../kubernetes/scheduling/podAffinityTerms.ts"
import { priorityOf } from "../kubernetes/scheduling/victims.ts"
import type { Node, Pod } from "../kubernetes/meta/objects.ts"
import type { BoundPodTerm } from "../kubernetes/scheduling/placementFilter.ts"

interface TermCounts extends BoundPodTerm {
  readonly domains: Map<string, number>
}

/** The affinity terms of bound Pods by topology domain, counted on the first read. */
export const makeBoundTerms = (boundPods: () => Iterable<readonly [Pod, Node]>) => {
  let isCounted = false
  let lowestPriority = Infinity
  const terms = new Map<string, TermCounts>()

  const count = (pod: Pod, node: Node, by: 1 | -1): void => {
    if (by === 1) lowestPriority = Math.min(lowestPriority, priorityOf(pod))
    for (const weighted of affinityTermsOf(pod)) {
      const domain = node.metadata.labels?.[weighted.term.topologyKey]
      if (domain === undefined) continue
      const entry = terms.get(weighted.id) ?? { ...weighted, domains: new Map<string, number>() }
      terms.set(weighted.id, entry)
      const sum = (entry.domains.get(domain) ?? 0) + by
      if (sum > 0) entry.domains.set(domain, sum)
      else entry.domains.delete(domain)
      if (entry.domains.size === 0) terms.delete(weighted.id)
    }
  }
  const countAll = (): void => {
    if (isCounted) return
    isCounted = true
    for (const [pod, node] of boundPods()) count(pod, node, 1)
  }
  return {
    all: (): Iterable<BoundPodTerm> => {
      countAll()
      return terms.values()
    },
    /** The lowest priority does not rise when a Pod ends. */
    lowestPriority: (): number => {
      countAll()
      return lowestPriority
    },
    isAffectedBy: ({ spec }: Pod): boolean =>
      isCounted && (spec.affinity !== undefined || (spec.priority ?? 0) < lowestPriority),
    count: (pod: Pod, node: Node, by: 1 | -1): void => {
      if (isCounted) count(pod, node, by)
    },
    reset: (): void => {
      isCounted = false
      lowestPriority = Infinity
      terms.clear()
    }
  }
}
