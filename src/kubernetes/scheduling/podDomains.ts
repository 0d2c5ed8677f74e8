import { isTerminating } from "../meta/deletion.ts"
import { matchesSelector } from "../meta/selectors/labelSelectors.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { Node, Pod } from "../meta/objects.ts"

/** Counts of queries with the same id are shared. */
export interface DomainQuery {
  readonly id: string
  readonly topologyKey: string
  readonly namespaces: ReadonlySet<string>
  /** A Pod must match all selectors. An undefined selector matches no Pod, as in Kubernetes. */
  readonly selectors: ReadonlyArray<LabelSelector | undefined>
  readonly skipsTerminating: boolean
  /** Whether the Pods of a node count; by default all do. */
  readonly countsNode?: (node: Node) => boolean
}

export const countsPod = (query: DomainQuery, pod: Pod): boolean =>
  query.namespaces.has(pod.metadata.namespace ?? "") &&
  !(query.skipsTerminating && isTerminating(pod)) &&
  query.selectors.every((selector) => matchesSelector(selector, pod.metadata.labels))

export const topologyDomain = ({ topologyKey, countsNode }: DomainQuery, node: Node): string | undefined => {
  const { labels } = node.metadata
  if (labels === undefined || !Object.hasOwn(labels, topologyKey)) return undefined
  return countsNode === undefined || countsNode(node) ? labels[topologyKey] : undefined
}

/** A domain without Pods counts 0. */
export const countByDomain = (
  query: DomainQuery,
  nodes: Iterable<Node>,
  podsOn: (nodeName: string) => Iterable<Pod>
): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const node of nodes) {
    const domain = topologyDomain(query, node)
    if (domain === undefined) continue
    let count = counts.get(domain) ?? 0
    for (const pod of podsOn(node.metadata.name)) if (countsPod(query, pod)) count += 1
    counts.set(domain, count)
  }
  return counts
}
