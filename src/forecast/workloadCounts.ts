import { availableReplicasOf } from "../kubernetes/apps/servingPods.ts"
import { findNewReplicaSet } from "../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { resources } from "../kubernetes/meta/kinds.ts"
import type { ClusterView } from "../store/objectStore.ts"
import type { DaemonSet } from "../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment } from "../kubernetes/meta/objects.ts"
import type { FutureCounts } from "./forecast.ts"
import type { Job } from "../kubernetes/batch/jobs/jobTypes.ts"
import type { StatefulSet } from "../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { Workload, WorkloadResource } from "../kubernetes/apps/workloadStatus.ts"

type View = Pick<ClusterView["Service"], "controlled">

export const workloadCounts = (
  view: View,
  resource: WorkloadResource,
  workload: Workload
): Omit<FutureCounts, "millis"> => {
  switch (resource) {
    case resources.deployments: {
      const { spec, status, metadata } = workload as Deployment
      const replicaSets = view.controlled(resources.replicaSets, metadata.uid)
      const newReplicaSet = findNewReplicaSet(workload as Deployment, replicaSets)
      return {
        desired: spec.replicas,
        updated: status.updatedReplicas ?? 0,
        available: status.availableReplicas ?? 0,
        updatedAvailable: newReplicaSet?.status.availableReplicas ?? 0
      }
    }
    case resources.statefulSets: {
      const { spec, status, metadata } = workload as StatefulSet
      const { updatedReplicas: updated = 0 } = status
      const available = availableReplicasOf(
        workload as StatefulSet,
        view.controlled(resources.pods, metadata.uid)
      )
      // With one revision all Pods are up to date.
      const isOneRevision = status.updateRevision === status.currentRevision
      const updatedAvailable = isOneRevision ? available : Math.min(updated, available)
      return { desired: spec.replicas, updated, available, updatedAvailable }
    }
    case resources.daemonSets: {
      const { status, metadata } = workload as DaemonSet
      const { updatedNumberScheduled: updated = 0 } = status
      const available = availableReplicasOf(
        workload as DaemonSet,
        view.controlled(resources.pods, metadata.uid)
      )
      const desired = status.desiredNumberScheduled ?? 0
      return { desired, updated, available, updatedAvailable: Math.min(updated, available) }
    }
    case resources.jobs: {
      const { spec, status } = workload as Job
      const { succeeded = 0, active = 0 } = status
      const desired = spec.completions ?? spec.parallelism ?? 1
      return { desired, updated: active + succeeded, available: succeeded, updatedAvailable: succeeded }
    }
  }
}
