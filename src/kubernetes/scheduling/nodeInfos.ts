import { addPodLoads, loadOfPod, noPodLoad, subtractPodLoads } from "./nodeLoad.ts"
import { hostPortsOf } from "./hostPorts.ts"
import { countByDomain, countsPod, topologyDomain } from "./podDomains.ts"
import { isPodFinished } from "../pods/podState.ts"
import { nonZeroRequestsOf } from "./scores/resourceScores.ts"
import { affinityTermsOf } from "./podAffinityTerms.ts"
import type { Labels, Node, Pod } from "../meta/objects.ts"
import type { NodePodLoad } from "./nodeLoad.ts"
import type { PodRequests } from "../pods/podRequests.ts"
import type { NodeInfos } from "./placementFilter.ts"
import type { BoundPodTerm } from "./placementFilter.ts"

interface MutableNodeInfos {
  readonly nodeInfos: NodeInfos
  readonly add: (pod: Pod) => void
}

/** Without indexes: `podCountsByDomain` visits all Pods. */
export const makeMutableNodeInfos = (
  nodes: ReadonlyArray<Node>,
  namespaces: ReadonlyArray<{ readonly name: string; readonly labels: Labels | undefined }> = []
): MutableNodeInfos => {
  const byNode = new Map<string, Array<Pod>>()
  const loads = new Map<string, NodePodLoad>()
  const terms: Array<BoundPodTerm> = []
  const podsOn = (nodeName: string): ReadonlyArray<Pod> => byNode.get(nodeName) ?? []
  return {
    add: (pod) => {
      const { nodeName } = pod.spec
      if (nodeName === undefined || isPodFinished(pod)) return
      const podsOfNode = byNode.get(nodeName)
      if (podsOfNode === undefined) byNode.set(nodeName, [pod])
      else podsOfNode.push(pod)
      loads.set(nodeName, addPodLoads(loads.get(nodeName) ?? noPodLoad, loadOfPod(pod)))
      const node =
        affinityTermsOf(pod).length === 0 ? undefined : nodes.find((it) => it.metadata.name === nodeName)
      if (node !== undefined) terms.push(...boundTermsOf(pod, node))
    },
    nodeInfos: {
      requestedOn: (nodeName) => loads.get(nodeName) ?? noPodLoad,
      podsOn,
      hostPorts: (nodeName) => podsOn(nodeName).flatMap(({ spec }) => hostPortsOf(spec)),
      podCountsByDomain: (query) => countByDomain(query, nodes, podsOn),
      termsOfBoundPods: () => terms,
      nonZeroRequests: (nodeName) => sumNonZeroRequests(podsOn(nodeName)),
      defaultSpreadSelector: () => undefined,
      namespaces: () => namespaces
    }
  }
}

export const sumNonZeroRequests = (pods: ReadonlyArray<Pod>): PodRequests =>
  pods.reduce((sum, { spec }) => addPodLoads(sum, { pods: 1, ...nonZeroRequestsOf(spec) }), noPodLoad)

const boundTermsOf = (pod: Pod, node: Node, count = 1): ReadonlyArray<BoundPodTerm> =>
  affinityTermsOf(pod).flatMap((term) => {
    const domain = node.metadata.labels?.[term.term.topologyKey]
    return domain === undefined ? [] : [{ ...term, domains: new Map([[domain, count]]) }]
  })

export const nodeInfosWithPods = (
  nodeInfos: NodeInfos,
  node: Node,
  { added = [], removed = [] }: { readonly added?: ReadonlyArray<Pod>; readonly removed?: ReadonlyArray<Pod> }
): NodeInfos => {
  const { name } = node.metadata
  const removedUids = new Set(removed.map(({ metadata }) => metadata.uid))
  const podsHere = [
    ...nodeInfos.podsOn(name).filter(({ metadata }) => !removedUids.has(metadata.uid)),
    ...added
  ]
  const addedLoad = added.reduce((sum, pod) => addPodLoads(sum, loadOfPod(pod)), noPodLoad)
  const load = removed.reduce(
    (sum, pod) => subtractPodLoads(sum, loadOfPod(pod)),
    addPodLoads(nodeInfos.requestedOn(name), addedLoad)
  )
  return {
    ...nodeInfos,
    requestedOn: (nodeName) => (nodeName === name ? load : nodeInfos.requestedOn(nodeName)),
    podsOn: (nodeName) => (nodeName === name ? podsHere : nodeInfos.podsOn(nodeName)),
    hostPorts: (nodeName) =>
      nodeName === name ? podsHere.flatMap(({ spec }) => hostPortsOf(spec)) : nodeInfos.hostPorts(nodeName),
    podCountsByDomain: (query) => {
      const counts = nodeInfos.podCountsByDomain(query)
      const domain = topologyDomain(query, node)
      const countOf = (pods: ReadonlyArray<Pod>): number => pods.filter((pod) => countsPod(query, pod)).length
      const difference = countOf(added) - countOf(removed)
      if (domain === undefined || difference === 0) return counts
      return new Map(counts).set(domain, (counts.get(domain) ?? 0) + difference)
    },
    termsOfBoundPods: () =>
      withTermChanges(nodeInfos.termsOfBoundPods(), [
        ...added.flatMap((pod) => boundTermsOf(pod, node)),
        ...removed.flatMap((pod) => boundTermsOf(pod, node, -1))
      ])
  }
}

/** The terms of removed Pods have negative counts. */
const withTermChanges = (
  terms: Iterable<BoundPodTerm>,
  changes: ReadonlyArray<BoundPodTerm>
): Iterable<BoundPodTerm> => {
  if (changes.length === 0) return terms
  const byId = new Map<string, { readonly term: BoundPodTerm; readonly domains: Map<string, number> }>()
  for (const term of [...terms, ...changes]) {
    const entry = byId.get(term.id) ?? { term, domains: new Map<string, number>() }
    byId.set(term.id, entry)
    for (const [domain, count] of term.domains)
      entry.domains.set(domain, (entry.domains.get(domain) ?? 0) + count)
  }
  return Array.from(byId.values(), ({ term, domains }) => ({ ...term, domains }))
}
