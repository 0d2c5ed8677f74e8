import { noPodRequests, podRequestsOf } from "../pods/podRequests.ts"
import type { Pod } from "../meta/objects.ts"
import type { PodRequests } from "../pods/podRequests.ts"

export interface NodePodLoad extends PodRequests {
  readonly pods: number
}

export const noPodLoad: NodePodLoad = { pods: 0, ...noPodRequests }

export const loadOfPod = ({ spec }: Pick<Pod, "spec">): NodePodLoad => {
  const { cpuMillicores, memoryMillibytes, others } = podRequestsOf(spec)
  return others === undefined
    ? { pods: 1, cpuMillicores, memoryMillibytes }
    : { pods: 1, cpuMillicores, memoryMillibytes, others }
}

export const addPodLoads = (a: NodePodLoad, b: NodePodLoad): NodePodLoad => addScaled(a, b, 1n)

export const subtractPodLoads = (a: NodePodLoad, b: NodePodLoad): NodePodLoad => addScaled(a, b, -1n)

const addScaled = (a: NodePodLoad, b: NodePodLoad, factor: 1n | -1n): NodePodLoad => {
  const load = {
    pods: a.pods + Number(factor) * b.pods,
    cpuMillicores: a.cpuMillicores + factor * b.cpuMillicores,
    memoryMillibytes: a.memoryMillibytes + factor * b.memoryMillibytes
  }
  if (a.others === undefined && b.others === undefined) return load
  const others = new Map(a.others)
  for (const [name, millis] of b.others ?? []) {
    const sum = (others.get(name) ?? 0n) + factor * millis
    if (sum === 0n) others.delete(name)
    else others.set(name, sum)
  }
  return others.size === 0 ? load : { ...load, others }
}
