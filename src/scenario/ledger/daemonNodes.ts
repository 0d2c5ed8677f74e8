import { nodeFitness, targetNodeName } from "../../kubernetes/apps/daemonSets/daemonPods.ts"
import type { Change } from "../../store/objectStore.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodOwner } from "./podOwner.ts"

/** The nodes that DaemonSets choose from. */
export interface DaemonNodes {
  readonly observe: (change: Change) => void
  /** The node that the Pod is or should be on, while it exists. */
  readonly targetOf: (pod: Pod) => Node | undefined
  readonly desiredCount: (podOwner: PodOwner, daemonSet: DaemonSet) => number
}

export const makeDaemonNodes = (): DaemonNodes => {
  const nodes = new Map<string, Node>()
  let nodesVersion = 0
  return {
    observe: ({ type, object, old }) => {
      const node = object as Node
      const before = old as Node | undefined
      if (type === "DELETED") nodes.delete(node.metadata.name)
      else nodes.set(node.metadata.name, node)
      const isSameForDaemonSets =
        type === "MODIFIED" && node.spec === before?.spec && node.metadata.labels === before.metadata.labels
      if (!isSameForDaemonSets) nodesVersion += 1
    },
    targetOf: (pod) => nodes.get(targetNodeName(pod) ?? ""),
    desiredCount: (podOwner, daemonSet) => {
      const { template } = daemonSet.spec
      const cached = podOwner.cachedDesired
      if (cached?.template === template && cached.nodesVersion === nodesVersion) return cached.count
      const count = [...nodes.values()].filter((node) => nodeFitness(daemonSet, node).fits).length
      podOwner.cachedDesired = { template, nodesVersion, count }
      return count
    }
  }
}
