import { evictingTaints, isConditionTaint, toleratedSeconds } from "../../kubernetes/core/taints.ts"
import { isPodActive } from "../../kubernetes/pods/podState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

/** A NoExecute taint of a node that a Pod on it tolerates for a limited time. */
export interface EvictingTaint {
  readonly node: string
  readonly key: string
  readonly toleratedSeconds: number
}

/** The taint that these Pods tolerate for the shortest time. Taints by node condition do not count. */
export const evictingTaintOf = (
  view: Pick<ClusterView["Service"], "get">,
  pods: ReadonlyArray<Pod>
): EvictingTaint | undefined => {
  let shortest: EvictingTaint | undefined
  for (const pod of pods) {
    const node = view.get(resources.nodes, pod.spec.nodeName ?? "")
    if (node === undefined || !isPodActive(pod)) continue
    for (const taint of evictingTaints(node)) {
      const seconds = toleratedSeconds(pod, [taint])
      if (isConditionTaint(taint) || seconds === Infinity) continue
      if (shortest !== undefined && shortest.toleratedSeconds <= seconds) continue
      shortest = { node: node.metadata.name, key: taint.key, toleratedSeconds: seconds }
    }
  }
  return shortest
}

export const taintEvictionText = ({ node, key, toleratedSeconds: seconds }: EvictingTaint): string =>
  `Pods on ${node} are evicted after ${seconds}s: they tolerate its taint ${key}:NoExecute no longer`
