import { isPodActive, isPodReady } from "../pods/podState.ts"
import type { DaemonSet } from "./daemonSets/daemonSetTypes.ts"
import type { Pod } from "../meta/objects.ts"
import type { StatefulSet } from "./statefulSets/statefulSetTypes.ts"

/** The kinds of workloads whose Pods serve, and are rolled out by revisions. */
export const servingKinds: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet"])

/**
 * How many Pods are ready and not terminating. Of a DaemonSet, which may have two on a node for a while, one of each
 * node.
 */
export const servingCount = (workload: StatefulSet | DaemonSet, pods: ReadonlyArray<Pod>): number => {
  const serving = pods.filter((pod) => isPodActive(pod) && isPodReady(pod))
  return isDaemonSet(workload) ? new Set(serving.map(({ spec }) => spec.nodeName)).size : serving.length
}

/**
 * The reported available replicas, at most those that serve: the controllers count a terminating Pod as available until
 * it is gone, although it gets no requests any more.
 */
export const availableReplicasOf = (workload: StatefulSet | DaemonSet, pods: ReadonlyArray<Pod>): number => {
  const counted = isDaemonSet(workload) ? workload.status.numberAvailable : workload.status.availableReplicas
  return Math.min(counted ?? 0, servingCount(workload, pods))
}

export const desiredCount = (workload: StatefulSet | DaemonSet): number =>
  isDaemonSet(workload) ? workload.status.desiredNumberScheduled : workload.spec.replicas

const isDaemonSet = (workload: StatefulSet | DaemonSet): workload is DaemonSet =>
  workload.kind === "DaemonSet"
