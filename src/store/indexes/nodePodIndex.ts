import { isPodFinished } from "../../kubernetes/pods/podState.ts"
import {
  addPodLoads,
  loadOfPod,
  noPodLoad,
  subtractPodLoads,
  type NodePodLoad
} from "../../kubernetes/scheduling/nodeLoad.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

export interface NodePods {
  readonly on: (nodeName: string) => ReadonlyArray<Pod>
  readonly requestedOn: (nodeName: string) => NodePodLoad
}

export interface NodePodIndex extends NodePods {
  readonly update: (old: Pod | undefined, next: Pod | undefined) => void
  readonly save: () => NodePodsState
  readonly restore: (state: NodePodsState) => void
}

export type NodePodsState = ReadonlyArray<
  readonly [nodeName: string, pods: ReadonlyArray<Pod>, load: NodePodLoad]
>

interface PodsOfNode {
  readonly pods: Map<string, Pod>
  load: NodePodLoad
}

export const makeNodePodIndex = (): NodePodIndex => {
  const entries = new Map<string, PodsOfNode>()

  const countPod = (pod: Pod, by: 1 | -1): void => {
    const { nodeName } = pod.spec
    if (nodeName === undefined) return
    const entry = entries.get(nodeName) ?? { pods: new Map<string, Pod>(), load: noPodLoad }
    entries.set(nodeName, entry)
    if (by === 1) entry.pods.set(pod.metadata.uid, pod)
    else entry.pods.delete(pod.metadata.uid)
    if (entry.pods.size === 0) {
      entries.delete(nodeName)
      return
    }
    if (!isPodFinished(pod))
      entry.load = (by === 1 ? addPodLoads : subtractPodLoads)(entry.load, loadOfPod(pod))
  }
  return {
    update: (old, next) => {
      const isUnchanged =
        old?.spec === next?.spec && old !== undefined && isPodFinished(old) === (next && isPodFinished(next))
      if (isUnchanged && next?.spec.nodeName !== undefined) {
        entries.get(next.spec.nodeName)?.pods.set(next.metadata.uid, next)
        return
      }
      if (old !== undefined) countPod(old, -1)
      if (next !== undefined) countPod(next, 1)
    },
    on: (nodeName) => [...(entries.get(nodeName)?.pods.values() ?? [])],
    requestedOn: (nodeName) => entries.get(nodeName)?.load ?? noPodLoad,
    save: () => Array.from(entries, ([name, { pods, load }]) => [name, [...pods.values()], load]),
    restore: (state) => {
      for (const [name, nodePods, load] of state) {
        const pods = new Map<string, Pod>()
        for (const pod of nodePods) pods.set(pod.metadata.uid, pod)
        entries.set(name, { pods, load })
      }
    }
  }
}
