import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { isPodActive, isPodReady, isPodTerminating, restartCountOf } from "../../kubernetes/pods/podState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { isWorkloadResource, workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import type { Autoscaler } from "../../kubernetes/autoscaling/autoscalerTypes.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { ConditionMeasure, ConditionState } from "./condition.ts"
import type { CronJob } from "../../kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"

type View = Pick<ClusterView["Service"], "controlled">

/** Available and updated counts come from the status. */
export const workloadMeasureOf = (
  measure: ConditionMeasure,
  resource: GroupResource,
  object: KubeObject,
  view: View
): number => {
  const reported = reportedCounts(resource, object)
  switch (measure) {
    case "unavailable":
      return Math.max(0, (reported.desired ?? 0) - (reported.available ?? 0))
    case "revision":
      return view
        .controlled(resources.controllerRevisions, object.metadata.uid)
        .reduce((highest, { revision }) => Math.max(highest, revision), 0)
    default:
      return reported[measure] ?? countedPods(measure, object, view)
  }
}

const countedPods = (measure: ConditionMeasure, { metadata }: KubeObject, view: View): number => {
  const pods = view.controlled(resources.pods, metadata.uid)
  switch (measure) {
    case "existing":
    case "pods":
      return pods.filter(isPodActive).length
    case "ready":
      return pods.filter((pod) => isPodActive(pod) && isPodReady(pod)).length
    case "terminating":
      return pods.filter(isPodTerminating).length
    case "restarts":
      return pods.reduce((sum, pod) => sum + restartCountOf(pod), 0)
    default:
      return 0
  }
}

const reportedCounts = (
  resource: GroupResource,
  object: KubeObject
): Partial<Record<ConditionMeasure, number>> => {
  // The resource determines the type, which TypeScript cannot infer.
  switch (resource) {
    case resources.statefulSets: {
      const { spec, status } = object as StatefulSet
      const { availableReplicas: available = 0, updatedReplicas: updated = 0 } = status
      return { desired: spec.replicas, available, updated }
    }
    case resources.daemonSets: {
      const {
        desiredNumberScheduled: desired,
        numberAvailable,
        updatedNumberScheduled
      } = (object as DaemonSet).status
      return { desired, available: numberAvailable ?? 0, updated: updatedNumberScheduled ?? 0 }
    }
    case resources.jobs: {
      const { spec, status } = object as Job
      const { active = 0, succeeded = 0, failed = 0 } = status
      return { desired: spec.completions ?? spec.parallelism, active, succeeded, failed }
    }
    case resources.cronJobs:
      return { active: (object as CronJob).status.active?.length ?? 0 }
    case resources.autoscalers: {
      const { currentReplicas: current = 0, desiredReplicas: desired } = (object as Autoscaler).status
      return { current, desired }
    }
    default:
      return {}
  }
}

interface WorkloadStates {
  readonly states: ReadonlyArray<ConditionState>
  readonly message: string
}

export const workloadStatesOf = (resource: GroupResource, object: KubeObject): WorkloadStates => {
  if (resource === resources.cronJobs)
    return (object as CronJob).spec.suspend === true
      ? { states: ["suspended"], message: "it starts no Job" }
      : { states: [], message: "it starts Jobs" }
  if (resource === resources.autoscalers) return autoscalerStates(object as Autoscaler)
  if (!isWorkloadResource(resource)) return { states: [], message: "" }
  const { state, message } = workloadStatus(resource, object)
  if (state !== "waiting") return { states: [state], message }
  const isSuspended = resource === resources.jobs && (object as Job).spec.suspend === true
  return { states: [isSuspended ? "suspended" : "progressing"], message }
}

const autoscalerStates = ({ status }: Autoscaler): WorkloadStates => {
  const isTrue = (type: string): boolean => conditionOf(status.conditions, type)?.status === "True"
  const messages = (status.conditions ?? []).map(({ message }) => message ?? "")
  return {
    states: [
      ...(isTrue("ScalingActive") ? (["active"] as const) : []),
      ...(isTrue("ScalingLimited") ? (["limited"] as const) : [])
    ],
    message: messages.length === 0 ? "it has not computed a size yet" : messages.join("; ")
  }
}
