import { noPodRequests, parseQuantityMillis, podRequestsOf } from "../pods/podRequests.ts"
import { cordonTaint, conditionTaints, tolerates } from "../core/taints.ts"
import type { Node, Pod } from "../meta/objects.ts"
import type { PodRequests } from "../pods/podRequests.ts"
import type { Taint } from "../core/taints.ts"

/** What the Pods of a node take up, or may take up. */
export interface NodePodLoad extends PodRequests {
  readonly pods: number
}

export const noPodLoad: NodePodLoad = { pods: 0, ...noPodRequests }

export const addPodLoads = (a: NodePodLoad, b: NodePodLoad): NodePodLoad => ({
  pods: a.pods + b.pods,
  cpuMillis: a.cpuMillis + b.cpuMillis,
  memoryMillis: a.memoryMillis + b.memoryMillis
})

type Placement =
  | { readonly found: true; readonly node: Node }
  | { readonly found: false; readonly message: string }

/**
 * Chooses a node for a Pod: not cordoned, with taints that the Pod tolerates, the labels of its `nodeSelector` and
 * enough resources; among those the one with the fewest Pods.
 *
 * Source: pkg/scheduler/framework/plugins (noderesources/fit.go, nodeunschedulable, tainttoleration, nodeaffinity).
 */
export const choosePodNode = (
  pod: Pick<Pod, "spec">,
  nodes: Iterable<Node>,
  loadOf: (nodeName: string) => NodePodLoad
): Placement => {
  const requests = podRequestsOf(pod.spec)
  const countByReason = new Map<string, number>()
  let best: { readonly node: Node; readonly pods: number } | undefined
  let nodeCount = 0
  for (const node of nodes) {
    nodeCount += 1
    const load = loadOf(node.metadata.name)
    const reasons = reasonsAgainst(pod, node, requests, load)
    for (const reason of reasons) countByReason.set(reason, (countByReason.get(reason) ?? 0) + 1)
    if (reasons.length > 0) continue
    if (best === undefined || load.pods < best.pods) best = { node, pods: load.pods }
  }
  return best === undefined
    ? { found: false, message: unschedulableMessage(nodeCount, countByReason) }
    : { found: true, node: best.node }
}

const unschedulableMessage = (nodeCount: number, countByReason: ReadonlyMap<string, number>): string => {
  if (nodeCount === 0) return "no nodes available to schedule pods"
  const reasons = [...countByReason].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${nodeCount} nodes are available: ${reasons.join(", ")}.`
}

/** Why the Pod cannot go to the node; empty if it can. Only the first failing check counts, as upstream. */
const reasonsAgainst = (
  pod: Pick<Pod, "spec">,
  node: Node,
  requests: PodRequests,
  load: NodePodLoad
): ReadonlyArray<string> => {
  const isTolerated = (taint: Taint): boolean =>
    taint.effect === "PreferNoSchedule" || (pod.spec.tolerations ?? []).some((it) => tolerates(it, taint))
  if (node.spec.unschedulable === true && !isTolerated(cordonTaint)) return ["node(s) were unschedulable"]
  if (!taintsOf(node).every(isTolerated)) return ["node(s) had untolerated taint(s)"]
  const selector = Object.entries(pod.spec.nodeSelector ?? {})
  if (selector.some(([key, value]) => node.metadata.labels?.[key] !== value)) {
    return ["node(s) didn't match Pod's node affinity/selector"]
  }
  return shortages(node, requests, load)
}

/** Includes taints that follow from the node's state before they are written: a new node has none yet. */
const taintsOf = (node: Node): ReadonlyArray<Taint> => {
  const cached = taintsByNode.get(node)
  if (cached !== undefined) return cached
  const taints = [...(node.spec.taints ?? []), ...conditionTaints(node)]
  if (Object.isFrozen(node)) taintsByNode.set(node, taints)
  return taints
}

const taintsByNode = new WeakMap<Node, ReadonlyArray<Taint>>()

const shortages = (node: Node, requests: PodRequests, load: NodePodLoad): ReadonlyArray<string> => {
  const capacity = capacityOf(node)
  const shortageTexts: Array<string> = []
  if (load.pods + 1 > capacity.pods) shortageTexts.push("Too many pods")
  if (requests.cpuMillis > 0n && load.cpuMillis + requests.cpuMillis > capacity.cpuMillis) {
    shortageTexts.push("Insufficient cpu")
  }
  if (requests.memoryMillis > 0n && load.memoryMillis + requests.memoryMillis > capacity.memoryMillis) {
    shortageTexts.push("Insufficient memory")
  }
  return shortageTexts
}

const capacityByAllocatable = new WeakMap<object, NodePodLoad>()

const capacityOf = (node: Node): NodePodLoad => {
  const allocatable = node.status.allocatable ?? node.status.capacity ?? {}
  const cached = capacityByAllocatable.get(allocatable)
  if (cached !== undefined) return cached
  const capacity = {
    // 110 is the kubelet's default `maxPods`.
    pods: Number(parseQuantityMillis(allocatable["pods"] ?? "110") / 1000n),
    cpuMillis: parseQuantityMillis(allocatable["cpu"]),
    memoryMillis: parseQuantityMillis(allocatable["memory"])
  }
  if (Object.isFrozen(allocatable)) capacityByAllocatable.set(allocatable, capacity)
  return capacity
}
