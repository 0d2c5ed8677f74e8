import { targetNodeName } from "../../kubernetes/apps/daemonSets/daemonPods.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"

export type JudgedWorkload = StatefulSet | DaemonSet | Job

/** A workload and its Pods, as the ledger has seen them. */
export interface PodOwner {
  object: JudgedWorkload
  readonly podsByName: Map<string, Pod>
  /** Empty but for a DaemonSet. */
  readonly podsByNode: Map<string, ReadonlyArray<Pod>>
  /** How many nodes should have a Pod, as long as neither the template nor a node changes. */
  cachedDesired:
    | { readonly template: unknown; readonly nodesVersion: number; readonly count: number }
    | undefined
}

export const makePodOwner = (object: JudgedWorkload): PodOwner => ({
  object,
  podsByName: new Map(),
  podsByNode: new Map(),
  cachedDesired: undefined
})

export const trackPod = (podOwner: PodOwner, pod: Pod): void => {
  podOwner.podsByName.set(pod.metadata.name, pod)
  if (podOwner.object.kind === "DaemonSet") updatePodsOfNode(podOwner, pod, [pod])
}

export const untrackPod = (podOwner: PodOwner | undefined, pod: Pod): void => {
  if (podOwner === undefined) return
  podOwner.podsByName.delete(pod.metadata.name)
  if (podOwner.object.kind === "DaemonSet") updatePodsOfNode(podOwner, pod, [])
}

const updatePodsOfNode = (podOwner: PodOwner, pod: Pod, added: ReadonlyArray<Pod>): void => {
  const node = targetNodeName(pod) ?? ""
  const pods = [...otherPodsOnNodeOf(podOwner, pod), ...added]
  if (pods.length === 0) podOwner.podsByNode.delete(node)
  else podOwner.podsByNode.set(node, pods)
}

export const otherPodsOnNodeOf = ({ podsByNode }: PodOwner, pod: Pod): ReadonlyArray<Pod> =>
  (podsByNode.get(targetNodeName(pod) ?? "") ?? []).filter(
    ({ metadata }) => metadata.uid !== pod.metadata.uid
  )
