import { parseMilliValue, podRequestsOf } from "../pods/podRequests.ts"
import type { Node } from "../meta/objects.ts"
import type { PodRequests } from "../pods/podRequests.ts"
import type { NodePodLoad } from "./nodeLoad.ts"
import type { Obstacle, PlacementFilter } from "./placementFilter.ts"

/** Source: noderesources/fit.go. */
export const fitsResources: PlacementFilter = (pod, nodeInfos) => {
  const requests = podRequestsOf(pod.spec)
  return (node) => resourceObstacle(node, requests, nodeInfos.requestedOn(node.metadata.name))
}

const resourceObstacle = (node: Node, requests: PodRequests, load: NodePodLoad): Obstacle | undefined => {
  const { pods } = capacityOf(node)
  const lacking = lackingResources(node, requests, load)
  const reasons = [
    ...(load.pods + 1 > pods ? ["Too many pods"] : []),
    ...lacking.map(({ name }) => `Insufficient ${name}`)
  ]
  if (reasons.length === 0) return undefined
  return { reasons, isUnresolvable: lacking.some(({ exceedsCapacity }) => exceedsCapacity) }
}

/** `exceedsCapacity`: a Pod requests more than the empty node has. */
interface LackingResource {
  readonly name: string
  readonly exceedsCapacity: boolean
}

export const lackingResources = (
  node: Node,
  requests: PodRequests,
  load: NodePodLoad
): ReadonlyArray<LackingResource> => {
  const { allocatable, cpuMillicores, memoryMillibytes } = capacityOf(node)
  const lacking: Array<LackingResource> = []
  const check = (name: string, requested: bigint, used: bigint, capacity: bigint): void => {
    if (requested > 0n && used + requested > capacity)
      lacking.push({ name, exceedsCapacity: requested > capacity })
  }
  check("cpu", requests.cpuMillicores, load.cpuMillicores, cpuMillicores)
  check("memory", requests.memoryMillibytes, load.memoryMillibytes, memoryMillibytes)
  for (const [name, millis] of requests.others ?? [])
    check(name, millis, load.others?.get(name) ?? 0n, parseMilliValue(allocatable[name]))
  return lacking
}

interface NodeCapacity {
  readonly pods: number
  readonly cpuMillicores: bigint
  readonly memoryMillibytes: bigint
  readonly allocatable: Readonly<Record<string, string>>
}

const capacityByAllocatable = new WeakMap<object, NodeCapacity>()

/** Memoized by `allocatable`, which the versions of a Node share. */
export const capacityOf = (node: Node): NodeCapacity => {
  const allocatable = node.status.allocatable ?? node.status.capacity ?? noAmounts
  const cached = capacityByAllocatable.get(allocatable)
  if (cached !== undefined) return cached
  const capacity: NodeCapacity = {
    // 110 is the kubelet's default `maxPods`.
    pods: Number(parseMilliValue(allocatable["pods"] ?? "110") / 1000n),
    cpuMillicores: parseMilliValue(allocatable["cpu"]),
    memoryMillibytes: parseMilliValue(allocatable["memory"]),
    allocatable
  }
  if (Object.isFrozen(allocatable)) capacityByAllocatable.set(allocatable, capacity)
  return capacity
}

const noAmounts: Readonly<Record<string, string>> = Object.freeze({})
