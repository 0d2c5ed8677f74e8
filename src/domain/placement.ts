import { millis, requestsOf } from "./requests.ts"
import { cordonTaint, taintsOfState, tolerates } from "./taints.ts"
import type { Node, Pod } from "./objects.ts"
import type { Requests } from "./requests.ts"
import type { Taint } from "./taints.ts"

/**
 * Where a Pod may go: nodes that are ready, willing and have room; among those the one with the fewest Pods.
 *
 * Source: pkg/scheduler/framework/plugins (noderesources/fit.go, nodeunschedulable, tainttoleration, nodeaffinity).
 */
export interface PlacedLoad extends Requests {
  readonly pods: number
}

type Placement =
  | { readonly found: true; readonly node: Node }
  | { readonly found: false; readonly message: string }

export const place = (
  pod: Pick<Pod, "spec">,
  nodes: Iterable<Node>,
  loadOf: (nodeName: string) => PlacedLoad
): Placement => {
  const requests = requestsOf(pod.spec)
  const refusals = new Map<string, number>()
  let best: { readonly node: Node; readonly pods: number } | undefined
  let total = 0
  for (const node of nodes) {
    total += 1
    const load = loadOf(node.metadata.name)
    const reasons = refusalsOf(pod, node, requests, load)
    for (const reason of reasons) refusals.set(reason, (refusals.get(reason) ?? 0) + 1)
    if (reasons.length > 0) continue
    if (best === undefined || load.pods < best.pods) best = { node, pods: load.pods }
  }
  return best === undefined
    ? { found: false, message: unschedulable(total, refusals) }
    : { found: true, node: best.node }
}

const unschedulable = (total: number, refusals: ReadonlyMap<string, number>): string => {
  if (total === 0) return "no nodes available to schedule pods"
  const reasons = [...refusals].map(([reason, count]) => `${count} ${reason}`).sort()
  return `0/${total} nodes are available: ${reasons.join(", ")}.`
}

/** Why a node cannot take the Pod; the first kind of reason that holds, for room all that is short. */
const refusalsOf = (
  pod: Pick<Pod, "spec">,
  node: Node,
  requests: Requests,
  load: PlacedLoad
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

/** What a node's state asks for counts before it is written: a node that is new has no taints yet. */
const taintsOf = (node: Node): ReadonlyArray<Taint> => {
  const known = taintsByNode.get(node)
  if (known !== undefined) return known
  const taints = [...(node.spec.taints ?? []), ...taintsOfState(node)]
  if (Object.isFrozen(node)) taintsByNode.set(node, taints)
  return taints
}

const taintsByNode = new WeakMap<Node, ReadonlyArray<Taint>>()

const shortages = (node: Node, requests: Requests, load: PlacedLoad): ReadonlyArray<string> => {
  const room = roomOf(node)
  const short: Array<string> = []
  if (load.pods + 1 > room.pods) short.push("Too many pods")
  if (requests.cpuMillis > 0n && load.cpuMillis + requests.cpuMillis > room.cpuMillis) {
    short.push("Insufficient cpu")
  }
  if (requests.memoryMillis > 0n && load.memoryMillis + requests.memoryMillis > room.memoryMillis) {
    short.push("Insufficient memory")
  }
  return short
}

/** What a node can take, read once for each allocatable it states. */
const roomByAllocatable = new WeakMap<object, PlacedLoad>()

const roomOf = (node: Node): PlacedLoad => {
  const allocatable = node.status.allocatable ?? node.status.capacity ?? {}
  const known = roomByAllocatable.get(allocatable)
  if (known !== undefined) return known
  const room = {
    pods: Number(millis(allocatable["pods"] ?? "110") / 1000n),
    cpuMillis: millis(allocatable["cpu"]),
    memoryMillis: millis(allocatable["memory"])
  }
  if (Object.isFrozen(allocatable)) roomByAllocatable.set(allocatable, room)
  return room
}
