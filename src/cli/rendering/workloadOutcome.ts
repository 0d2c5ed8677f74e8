import { isPodFinished, isPodReady } from "../../kubernetes/pods/podState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { isWorkloadResource, workloadStatus } from "../../kubernetes/apps/workloadStatus.ts"
import { isGenerationObserved } from "../../kubernetes/meta/observedGeneration.ts"
import { isManagedElsewhere } from "../../kubernetes/batch/jobs/jobState.ts"
import type { DaemonSet } from "../../kubernetes/apps/daemonSets/daemonSetTypes.ts"
import type { Deployment, KubeObject, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { WorkloadResource } from "../../kubernetes/apps/workloadStatus.ts"

/** A workload, ReplicaSet or Pod that `charthouse run -f` or `up -f` has applied. */
export interface AppliedWorkload {
  readonly resource: AppliedWorkloadResource
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

type AppliedWorkloadResource = WorkloadResource | typeof resources.replicaSets | typeof resources.pods

export const isAppliedWorkloadResource = (resource: string): resource is AppliedWorkloadResource =>
  isWorkloadResource(resource) || resource === resources.replicaSets || resource === resources.pods

/**
 * `paused`: complete as far as a paused Deployment or a suspended Job can be. `delegated`: another controller manages
 * the Job. `superseded`: another writer began a new revision.
 */
export interface WorkloadOutcome {
  readonly outcome: "waiting" | "complete" | "failed" | "paused" | "delegated" | "deleted" | "superseded"
  readonly message: string
}

export const deletedOutcome: WorkloadOutcome = { outcome: "deleted", message: "object has been deleted" }

/** A Deployment's default progress deadline, for objects without one. A Job ends by itself. */
const deadlineDefaultMillis = 600_000

export const workloadOutcomeOf = (
  view: ClusterView["Service"],
  { resource, namespace, name, uid }: AppliedWorkload,
  waitedMillis: number
): WorkloadOutcome => {
  const object = view.get(resource, `${namespace}/${name}`)
  if (object === undefined || object.metadata.uid !== uid) return deletedOutcome
  if (resource === resources.deployments) return deploymentOutcome(view, object as Deployment)
  if (resource === resources.jobs) return appliedJobOutcome(object as Job)
  if (isWorkloadResource(resource)) {
    const { state, message } = workloadStatus(resource, object)
    return { outcome: state === "waiting" ? outcomeAfter(waitedMillis) : state, message }
  }
  if (resource === resources.pods && (object as Pod).status.phase === "Failed")
    return { outcome: "failed", message: "the Pod is Failed" }
  const { isComplete, message } =
    resource === resources.replicaSets ? replicaSetProgress(object as ReplicaSet) : podProgress(object as Pod)
  if (isComplete) return { outcome: "complete", message }
  return { outcome: outcomeAfter(waitedMillis), message }
}

const outcomeAfter = (waitedMillis: number): "waiting" | "failed" =>
  waitedMillis < deadlineDefaultMillis ? "waiting" : "failed"

export const appliedJobOutcome = (job: Job): WorkloadOutcome => {
  const { state, message } = workloadStatus(resources.jobs, job)
  if (state === "waiting" && isManagedElsewhere(job)) {
    const name = JSON.stringify(job.metadata.name)
    return { outcome: "delegated", message: `job ${name} is left to its manager, ${job.spec.managedBy}` }
  }
  const isSuspended = job.spec.suspend === true && (job.status.active ?? 0) === 0
  return { outcome: state === "waiting" && isSuspended ? "paused" : state, message }
}

const deploymentOutcome = (view: ClusterView["Service"], deployment: Deployment): WorkloadOutcome => {
  const { state, message } = workloadStatus(resources.deployments, deployment)
  if (state !== "waiting" || deployment.spec.paused !== true) return { outcome: state, message }
  const replicaSets = view.controlled(resources.replicaSets, deployment.metadata.uid)
  const isPausedCompletely =
    isGenerationObserved(deployment) && replicaSets.every((it) => replicaSetProgress(it).isComplete)
  return isPausedCompletely
    ? { outcome: "paused", message: pausedMessage(deployment) }
    : { outcome: "waiting", message }
}

export const pausedMessage = ({ spec, status }: Deployment): string =>
  `paused with ${status.updatedReplicas ?? 0} of ${spec.replicas} updated`

/** A Pod counts as one, and so does a deleted object. */
export const podsWantedBy = (resource: AppliedWorkloadResource, object: KubeObject | undefined): number => {
  if (object === undefined) return 1
  switch (resource) {
    case resources.daemonSets:
      return (object as DaemonSet).status.desiredNumberScheduled ?? 0
    case resources.jobs: {
      const { completions, parallelism } = (object as Job).spec
      return completions ?? parallelism
    }
    case resources.pods:
      return 1
    default:
      return (object as Deployment).spec.replicas
  }
}

const replicaSetProgress = (replicaSet: ReplicaSet) => {
  const { spec, status } = replicaSet
  const { replicas, availableReplicas = 0 } = status
  return {
    isComplete:
      isGenerationObserved(replicaSet) && replicas === spec.replicas && availableReplicas === spec.replicas,
    message: `${availableReplicas} of ${spec.replicas} replicas are available`
  }
}

const podProgress = (pod: Pod) => ({
  isComplete: isPodReady(pod) || isPodFinished(pod),
  message: isPodReady(pod) ? "the Pod is ready" : `the Pod is ${pod.status.phase}`
})
