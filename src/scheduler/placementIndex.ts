import { controllerOf } from "../kubernetes/meta/ownerReferences.ts"
import { hostPortsOf } from "../kubernetes/scheduling/hostPorts.ts"
import { isPodFinished } from "../kubernetes/pods/podState.ts"
import { matchesSelector } from "../kubernetes/meta/selectors/labelSelectors.ts"
import { toObjectKey } from "../kubernetes/meta/objects.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import { storageObjectsOf } from "../store/placementInput.ts"
import { makeBoundTerms } from "./boundTerms.ts"
import { countByDomain, countsPod, topologyDomain } from "../kubernetes/scheduling/podDomains.ts"
import { isSemanticallyEqual } from "../kubernetes/meta/semanticEquality.ts"
import { sumNonZeroRequests } from "../kubernetes/scheduling/nodeInfos.ts"
import type { LabelSelector } from "kubernetes-types/meta/v1.js"
import type { KubeObject, Node, Pod } from "../kubernetes/meta/objects.ts"
import type { DomainQuery } from "../kubernetes/scheduling/podDomains.ts"
import type { HostPort } from "../kubernetes/scheduling/placementFilter.ts"
import type { PodToPlace, NodeInfos } from "../kubernetes/scheduling/placementFilter.ts"
import type { PodRequests } from "../kubernetes/pods/podRequests.ts"
import type { Change, ClusterView } from "../store/objectStore.ts"
import type { AssumedPods } from "./assumedPods.ts"

/**
 * Counts for the filters, so that placing a Pod costs the same for any number of Pods.
 * Source: pkg/scheduler/backend/cache (cache.go, snapshot.go).
 */
export interface PlacementIndex extends NodeInfos {
  /** The least priority of a bound Pod; -Infinity if unknown. */
  readonly lowestPriority: () => number
  readonly updatePod: (old: Pod | undefined, next: Pod | undefined) => void
  readonly updateNode: (change: Change) => void
}

interface DomainCounter {
  readonly query: DomainQuery
  readonly counts: Map<string, number>
}

/** Beyond this number, all counters are dropped to free memory. */
const countersMax = 1000

export const makePlacementIndex = (
  view: ClusterView["Service"],
  assumed: Pick<AssumedPods, "requestedOn" | "on" | "isEmpty">
): PlacementIndex => {
  /** Faults let reads lag behind the delivered changes: such reads may not be kept. */
  const isCurrent = (): boolean => assumed.isEmpty() && view.version() === view.delivered.version()
  const counters = new Map<string, DomainCounter>()
  const portsByNode = new Map<string, ReadonlyArray<HostPort>>()
  const nonZeroRequestsByNode = new Map<string, PodRequests>()
  const nodeNamed = (name: string): Node | undefined => view.get(resources.nodes, name)

  const podsOn = (nodeName: string): ReadonlyArray<Pod> => [
    ...view.nodePods.on(nodeName).filter((pod) => !isPodFinished(pod)),
    ...assumed.on(nodeName)
  ]
  function* boundPods(): Iterable<readonly [Pod, Node]> {
    for (const node of view.all(resources.nodes))
      for (const pod of podsOn(node.metadata.name)) yield [pod, node]
  }
  const affinityTerms = makeBoundTerms(boundPods)
  const portsOn = (nodeName: string): ReadonlyArray<HostPort> =>
    podsOn(nodeName).flatMap(({ spec }) => hostPortsOf(spec))
  const memoizeWhileCurrent = <A>(values: Map<string, A>, key: string, compute: (key: string) => A): A => {
    if (!isCurrent()) return compute(key)
    const present = values.get(key) ?? compute(key)
    values.set(key, present)
    return present
  }

  const countPod = (pod: Pod | undefined, by: 1 | -1): void => {
    const { nodeName } = pod?.spec ?? {}
    if (pod === undefined || nodeName === undefined || isPodFinished(pod)) return
    portsByNode.delete(nodeName)
    nonZeroRequestsByNode.delete(nodeName)
    if (counters.size === 0 && !affinityTerms.isAffectedBy(pod)) return
    const node = nodeNamed(nodeName)
    if (node === undefined) return
    affinityTerms.count(pod, node, by)
    for (const { query, counts } of counters.values()) {
      if (!countsPod(query, pod)) continue
      const domain = topologyDomain(query, node)
      if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + by)
    }
  }

  return {
    requestedOn: assumed.requestedOn,
    podsOn,
    hostPorts: (nodeName) => memoizeWhileCurrent(portsByNode, nodeName, portsOn),
    podCountsByDomain: (query) => {
      const toCounter = (): DomainCounter => ({
        query,
        counts: countByDomain(query, view.all(resources.nodes), podsOn)
      })
      if (counters.size >= countersMax) counters.clear()
      return memoizeWhileCurrent(counters, query.id, toCounter).counts
    },
    termsOfBoundPods: () => (isCurrent() ? affinityTerms.all() : makeBoundTerms(boundPods).all()),
    nonZeroRequests: (nodeName) =>
      memoizeWhileCurrent(nonZeroRequestsByNode, nodeName, (name) => sumNonZeroRequests(podsOn(name))),
    defaultSpreadSelector: (pod) => defaultSpreadSelector(view, pod),
    *namespaces() {
      for (const { metadata } of view.all(resources.namespaces))
        yield { name: metadata.name, labels: metadata.labels }
    },
    storage: storageObjectsOf(view),
    lowestPriority: () => (isCurrent() ? affinityTerms.lowestPriority() : -Infinity),
    updatePod: (old, next) => {
      if (isCountedAlike(old, next)) return
      countPod(old, -1)
      countPod(next, 1)
    },
    updateNode: ({ type, object, old }) => {
      if (type === "MODIFIED" && old !== undefined && hasSameDomains(object as Node, old as Node)) return
      counters.clear()
      portsByNode.clear()
      nonZeroRequestsByNode.clear()
      affinityTerms.reset()
    }
  }
}

const isCountedAlike = (old: Pod | undefined, next: Pod | undefined): boolean =>
  old !== undefined &&
  next !== undefined &&
  old.spec === next.spec &&
  old.metadata.labels === next.metadata.labels &&
  old.metadata.deletionTimestamp === next.metadata.deletionTimestamp &&
  isPodFinished(old) === isPodFinished(next)

const hasSameDomains = (node: Node, old: Node): boolean =>
  isSemanticallyEqual(node.metadata.labels, old.metadata.labels) &&
  isSemanticallyEqual(node.spec.taints, old.spec.taints)

const resourceBySpreadKind: ReadonlyMap<string, string> = new Map([
  ["ReplicaSet", resources.replicaSets],
  ["StatefulSet", "statefulsets.apps"],
  ["ReplicationController", "replicationcontrollers"]
])

/** The selector of a ReplicationController is a map of labels. */
type ObjectWithSelector = KubeObject & {
  readonly spec?: { readonly selector?: LabelSelector & Readonly<Record<string, unknown>> }
}

/** Source: pkg/scheduler/framework/plugins/helper/spread.go (DefaultSelector). */
const defaultSpreadSelector = (view: ClusterView["Service"], pod: PodToPlace): LabelSelector | undefined => {
  const { namespace, labels } = pod.metadata
  const matchLabels: Record<string, string> = {}
  for (const { metadata, spec } of view.all(resources.services)) {
    const selector = spec.selector ?? {}
    if (metadata.namespace !== namespace || Object.keys(selector).length === 0) continue
    if (matchesSelector({ matchLabels: selector }, labels)) Object.assign(matchLabels, selector)
  }
  const owner = controllerOf(pod)
  const resource = resourceBySpreadKind.get(owner?.kind ?? "")
  const controller: ObjectWithSelector | undefined =
    resource === undefined || owner === undefined
      ? undefined
      : view.get(resource, toObjectKey(namespace, owner.name))
  const ownSelector = controller?.spec?.selector
  const spreadSelector: LabelSelector =
    resource === "replicationcontrollers"
      ? { matchLabels: { ...matchLabels, ...(ownSelector as Readonly<Record<string, string>> | undefined) } }
      : {
          matchLabels: { ...matchLabels, ...ownSelector?.matchLabels },
          matchExpressions: ownSelector?.matchExpressions ?? []
        }
  const isEmpty =
    Object.keys(spreadSelector.matchLabels ?? {}).length === 0 &&
    (spreadSelector.matchExpressions ?? []).length === 0
  return isEmpty ? undefined : spreadSelector
}
