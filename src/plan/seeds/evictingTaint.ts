import { evictingTaints, isStateTaint, toleratedSeconds } from "../../kubernetes/core/taints.ts"
import { isPodActive } from "../../kubernetes/pods/podState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"

/** A NoExecute taint of a node that a Pod on it tolerates for a limited time. */
export interface EvictingTaint {
  readonly node: string
  readonly key: string
  readonly toleratedSeconds: number
}

/** The taint that these owners' Pods tolerate for the shortest time. Taints by the state of a node do not count. */
export const evictingTaintOf = (
  view: ClusterView["Service"],
  owners: ReadonlyArray<KubeObject>
): EvictingTaint | undefined => {
  let shortest: EvictingTaint | undefined
  for (const { metadata } of owners)
    for (const pod of view.controlled(resources.pods, metadata.uid)) {
      const node = view.get(resources.nodes, pod.spec.nodeName ?? "")
      if (node === undefined || !isPodActive(pod)) continue
      for (const taint of evictingTaints(node)) {
        const seconds = toleratedSeconds(pod, [taint])
        if (isStateTaint(taint) || seconds === Infinity) continue
        if (shortest !== undefined && shortest.toleratedSeconds <= seconds) continue
        shortest = { node: node.metadata.name, key: taint.key, toleratedSeconds: seconds }
      }
    }
  return shortest
}
