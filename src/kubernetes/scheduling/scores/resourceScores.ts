import { podRequestsOf } from "../../pods/podRequests.ts"
import { hasPodLevelResources, memoizePerPodResources, podResourceAmounts } from "../../pods/podResources.ts"
import { capacityOf } from "../nodeResources.ts"
import { scoreMax } from "./normalizeScores.ts"
import type * as Core from "kubernetes-types/core/v1.js"
import type { PodRequests } from "../../pods/podRequests.ts"
import type { NodeScorer } from "./nodeScorer.ts"

/**
 * Containers without requests count with small default ones, so that they do not all go to one node. Source:
 * least_allocated.go.
 */
export const leastAllocatedScores: NodeScorer = (pod, fitting, { nodeInfos }) => {
  const requests = nonZeroRequestsOf(pod.spec)
  return fitting.map((node) => {
    const capacity = capacityOf(node)
    const used = nodeInfos.nonZeroRequests(node.metadata.name)
    const parts = [
      freePart(used.cpuMillicores + requests.cpuMillicores, capacity.cpuMillicores),
      freePart(used.memoryMillibytes + requests.memoryMillibytes, capacity.memoryMillibytes)
    ].filter((part) => part !== undefined)
    return parts.length === 0 ? 0 : Math.trunc(parts.reduce((sum, part) => sum + part, 0) / parts.length)
  })
}

/** The free part in hundredths. */
const freePart = (used: bigint, capacity: bigint): number | undefined => {
  if (capacity === 0n) return undefined
  return used > capacity ? 0 : Number(((capacity - used) * BigInt(scoreMax)) / capacity)
}

/** A Pod without requests has no preference. Source: balanced_allocation.go. */
export const balanceScores: NodeScorer = (pod, fitting, { nodeInfos }) => {
  const requests = podRequestsOf(pod.spec)
  if (requests.cpuMillicores === 0n && requests.memoryMillibytes === 0n) return undefined
  return fitting.map((node) => {
    const capacity = capacityOf(node)
    const used = nodeInfos.requestedOn(node.metadata.name)
    const cpu = usedPart(used.cpuMillicores + requests.cpuMillicores, capacity.cpuMillicores)
    const memory = usedPart(used.memoryMillibytes + requests.memoryMillibytes, capacity.memoryMillibytes)
    // The standard deviation of two values is half of their difference.
    const deviation = cpu === undefined || memory === undefined ? 0 : Math.abs((cpu - memory) / 2)
    return Math.trunc((1 - deviation) * scoreMax)
  })
}

const usedPart = (used: bigint, capacity: bigint): number | undefined =>
  capacity === 0n ? undefined : Math.min(1, Number(used) / Number(capacity))

/** Source: pod_resources.go. */
const defaultContainerRequests = { cpu: "100m", memory: "200Mi" }

/** Pod-level requests have no default. Source: framework/types.go (calculatePodResource). */
export const nonZeroRequestsOf = memoizePerPodResources((spec): PodRequests => {
  const requested = hasPodLevelResources(spec) ? podResourceAmounts(spec, "requests") : undefined
  const defaults = Object.fromEntries(
    Object.entries(defaultContainerRequests).filter(([name]) => requested?.has(name) !== true)
  )
  const withRequests = (container: Core.Container): Core.Container => ({
    ...container,
    resources: {
      ...container.resources,
      requests: { ...defaults, ...container.resources?.requests }
    }
  })
  const { initContainers } = spec
  return podRequestsOf({
    ...spec,
    containers: spec.containers.map(withRequests),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(withRequests) })
  })
})
