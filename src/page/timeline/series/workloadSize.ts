import { compareByCreation } from "../../../kubernetes/meta/objectOrder.ts"
import { conditionOf } from "../../../kubernetes/meta/conditions.ts"
import { daemonSetBounds, statefulSetBounds } from "../../../kubernetes/apps/rolloutBounds.ts"
import { findNewReplicaSet } from "../../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { rolloutBounds } from "../../../../machines/strategies/strategies.ts"
import type { Autoscaler } from "../../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { ControllerRevision } from "../../../kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { DaemonSet } from "../../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, KubeObject, ReplicaSet } from "../../../kubernetes/meta/objects.ts"
import type { Job } from "../../../kubernetes/batch/jobs/jobTypes.ts"
import type { StatefulSet } from "../../../kubernetes/apps/statefulSets/statefulSetTypes.ts"

/** A ReplicaSet, a Job or a ControllerRevision. */
interface SizedRevision {
  readonly uid: string
  readonly object: KubeObject | undefined
}

interface WorkloadSize {
  readonly desired: number
  readonly floor?: number | undefined
  readonly ceiling?: number | undefined
  /** The current replicas of an autoscaler, whose target has the Pods. */
  readonly current?: number
}

export const workloadSizeOf = (workload: KubeObject, revisions: Iterable<SizedRevision>): WorkloadSize => {
  switch (workload.kind) {
    case "Deployment": {
      const deployment = workload as Deployment
      const { podsMax, availableMin } = rolloutBounds(deployment)
      return { desired: deployment.spec.replicas, floor: availableMin, ceiling: podsMax }
    }
    case "StatefulSet": {
      const statefulSet = workload as StatefulSet
      return { desired: statefulSet.spec.replicas, ...statefulSetBounds(statefulSet) }
    }
    case "DaemonSet": {
      const daemonSet = workload as DaemonSet
      return { desired: daemonSet.status.desiredNumberScheduled, ...daemonSetBounds(daemonSet) }
    }
    case "HorizontalPodAutoscaler": {
      const { spec, status } = workload as Autoscaler
      const { currentReplicas: current = 0, desiredReplicas } = status
      return { current, desired: desiredReplicas, floor: spec.minReplicas ?? 1, ceiling: spec.maxReplicas }
    }
    default:
      return { desired: Array.from(revisions, jobSize).reduce((sum, size) => sum + size, 0) }
  }
}

const jobSize = ({ object }: SizedRevision): number => {
  if (object?.kind !== "Job") return 0
  const { spec, status } = object as Job
  const isOver = ["Complete", "Failed", "FailureTarget"].some(
    (type) => conditionOf(status.conditions, type)?.status === "True"
  )
  if (isOver || spec.suspend === true) return 0
  return Math.min(spec.parallelism, (spec.completions ?? Infinity) - (status.succeeded ?? 0))
}

/** The uid of the revision with the present template, or of the latest Job. */
export const newestRevisionUid = (
  workload: KubeObject,
  revisions: Iterable<SizedRevision>
): string | undefined => {
  const present = [...revisions].filter(({ object }) => object !== undefined)
  if (workload.kind === "Deployment") {
    const replicaSets = present.map(({ object }) => object as ReplicaSet)
    return findNewReplicaSet(workload as Deployment, replicaSets)?.metadata.uid
  }
  const compare =
    workload.kind === "StatefulSet" || workload.kind === "DaemonSet" ? byRevisionNumber : compareByCreation
  return present.toSorted((a, b) => compare(a.object as KubeObject, b.object as KubeObject)).at(-1)?.uid
}

const byRevisionNumber = (a: KubeObject, b: KubeObject): number =>
  (a as ControllerRevision).revision - (b as ControllerRevision).revision
