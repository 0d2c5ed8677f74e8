import { isPodActive, isPodReady } from "../pods/podState.ts"
import type { DaemonSet } from "./daemonSets/daemonSetTypes.ts"
import type { Pod } from "../meta/objects.ts"
import type { StatefulSet } from "./statefulSets/statefulSetTypes.ts"

/** The workloads whose Pods serve requests, unlike those of Jobs. */
export const kindsWithServingPods: ReadonlySet<string> = new Set(["Deployment", "StatefulSet", "DaemonSet"])

/** Pods that are ready and not terminating; a DaemonSet counts one of each node. */
export const servingPodCount = (workload: StatefulSet | DaemonSet, pods: ReadonlyArray<Pod>): number => {
  const serving = pods.filter((pod) => isPodActive(pod) && isPodReady(pod))
  return isDaemonSet(workload) ? new Set(serving.map(({ spec }) => spec.nodeName)).size : serving.length
}

/** At most the serving Pods: Kubernetes counts a terminating Pod as available, although it gets no requests. */
export const availableReplicasOf = (workload: StatefulSet | DaemonSet, pods: ReadonlyArray<Pod>): number => {
  const reported = isDaemonSet(workload) ? workload.status.numberAvailable : workload.status.availableReplicas
  return Math.min(reported ?? 0, servingPodCount(workload, pods))
}

export const desiredPodCount = (workload: StatefulSet | DaemonSet): number =>
  isDaemonSet(workload) ? workload.status.desiredNumberScheduled : workload.spec.replicas

const isDaemonSet = (workload: StatefulSet | DaemonSet): workload is DaemonSet =>
  workload.kind === "DaemonSet"
