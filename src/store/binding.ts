import { isTerminating } from "../domain/ownerReferences.ts"
import { withPodCondition } from "../domain/podConditions.ts"
import type { Pod, PodSpec } from "../domain/objects.ts"

/**
 * Putting a Pod on a node.
 *
 * Source: pkg/registry/core/pod/storage/storage.go (BindingREST.setPodNodeAndMetadata).
 */
export const refuseBinding = (pod: Pod): string | undefined => {
  const { name } = pod.metadata
  if (isTerminating(pod)) return `pod ${name} is being deleted, cannot be assigned to a host`
  if (pod.spec.nodeName === undefined) return undefined
  return `pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`
}

export const boundTo = (pod: Pod, nodeName: string, nowMillis: number): Pod => {
  const conditions = withPodCondition(pod, "PodScheduled", undefined, nowMillis)
  return {
    ...pod,
    spec: specOn(pod.spec, nodeName),
    status: { ...pod.status, conditions }
  }
}

/** Pods of one template on one node share one spec. */
const specsByTemplate = new WeakMap<PodSpec, Map<string, PodSpec>>()

const specOn = (spec: PodSpec, nodeName: string): PodSpec => {
  const byNode = specsByTemplate.get(spec) ?? new Map<string, PodSpec>()
  specsByTemplate.set(spec, byNode)
  const shared = byNode.get(nodeName) ?? Object.freeze({ ...spec, nodeName })
  byNode.set(nodeName, shared)
  return shared
}
