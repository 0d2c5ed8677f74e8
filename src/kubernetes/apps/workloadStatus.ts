import { conditionOf } from "../meta/conditions.ts"
import { resources } from "../meta/resources.ts"
import { rolloutStatus } from "./rolloutStatus.ts"
import type { DaemonSet } from "./daemonSets/daemonSetTypes.ts"
import type { Deployment, KubeObject } from "../meta/objects.ts"
import type { GroupResource } from "../meta/kinds.ts"
import type { Job } from "../batch/jobs/jobTypes.ts"
import type { RolloutStatus } from "./rolloutStatus.ts"
import type { StatefulSet } from "./statefulSets/statefulSetTypes.ts"

export type Workload = Deployment | StatefulSet | DaemonSet | Job

export const workloadResources = [
  resources.deployments,
  resources.statefulSets,
  resources.daemonSets,
  resources.jobs
] as const

export type WorkloadResource = (typeof workloadResources)[number]

export const isWorkloadResource = (resource: GroupResource): resource is WorkloadResource =>
  workloadResources.some((it) => it === resource)

/** The state as `kubectl rollout status` prints it; that of a Job follows from its conditions. */
export const workloadStatus = (resource: WorkloadResource, workload: KubeObject): RolloutStatus => {
  // TypeScript cannot infer the type from the resource.
  switch (resource) {
    case resources.deployments:
      return rolloutStatus(workload as Deployment)
    case resources.statefulSets:
      return statefulSetRolloutStatus(workload as StatefulSet)
    case resources.daemonSets:
      return daemonSetRolloutStatus(workload as DaemonSet)
    case resources.jobs:
      return jobCompletionStatus(workload as Job)
  }
}

const waiting = (message: string): RolloutStatus => ({ state: "waiting", message })
const complete = (message: string): RolloutStatus => ({ state: "complete", message })

/**
 * Unlike kubectl, which refuses OnDelete, that strategy is complete when all Pods are ready.
 * Source: polymorphichelpers/rollout_status.go.
 */
const statefulSetRolloutStatus = ({ metadata, spec, status }: StatefulSet): RolloutStatus => {
  const { observedGeneration = 0, readyReplicas = 0, updatedReplicas = 0, currentReplicas = 0 } = status
  const { replicas, updateStrategy } = spec
  if (observedGeneration === 0 || (metadata.generation ?? 0) > observedGeneration)
    return waiting("Waiting for statefulset spec update to be observed...")
  if (readyReplicas < replicas) return waiting(`Waiting for ${replicas - readyReplicas} pods to be ready...`)
  if (updateStrategy?.type === "OnDelete") return complete(`${readyReplicas} pods are ready`)
  if (updateStrategy?.rollingUpdate !== undefined) {
    const { partition = 0 } = updateStrategy.rollingUpdate
    const updating = replicas - partition
    return updatedReplicas < updating
      ? waiting(
          `Waiting for partitioned roll out to finish: ${updatedReplicas} out of ${updating} new pods have been updated...`
        )
      : complete(`partitioned roll out complete: ${updatedReplicas} new pods have been updated...`)
  }
  if (status.updateRevision !== status.currentRevision) {
    const progress = `${updatedReplicas} pods at revision ${status.updateRevision}`
    return waiting(`waiting for statefulset rolling update to complete ${progress}...`)
  }
  const progress = `${currentReplicas} pods at revision ${status.currentRevision}`
  return complete(`statefulset rolling update complete ${progress}...`)
}

/** Unlike kubectl, which refuses OnDelete, that strategy is complete when all Pods are available. */
const daemonSetRolloutStatus = ({ metadata, spec, status }: DaemonSet): RolloutStatus => {
  const { observedGeneration = 0, desiredNumberScheduled: desired } = status
  const { updatedNumberScheduled: updated = 0, numberAvailable: available = 0 } = status
  if ((metadata.generation ?? 0) > observedGeneration)
    return waiting("Waiting for daemon set spec update to be observed...")
  const name = JSON.stringify(metadata.name)
  const prefix = `Waiting for daemon set ${name} rollout to finish:`
  if (updated < desired && spec.updateStrategy?.type !== "OnDelete")
    return waiting(`${prefix} ${updated} out of ${desired} new pods have been updated...`)
  if (available < desired)
    return waiting(`${prefix} ${available} of ${desired} updated pods are available...`)
  return complete(`daemon set ${name} successfully rolled out`)
}

const jobCompletionStatus = ({ metadata, spec, status }: Job): RolloutStatus => {
  const name = JSON.stringify(metadata.name)
  const isTrue = (type: string) => conditionOf(status.conditions, type)?.status === "True"
  if (isTrue("Complete")) return complete(`job ${name} is complete`)
  if (isTrue("Failed")) {
    const { message = "it has failed" } = conditionOf(status.conditions, "Failed") ?? {}
    return { state: "failed", message: `job ${name} has failed: ${message}` }
  }
  if (spec.suspend === true) return waiting(`job ${name} is suspended`)
  const { succeeded = 0, active = 0, failed = 0 } = status
  const wanted = spec.completions ?? spec.parallelism
  return waiting(
    `Waiting for job ${name} to complete: ${succeeded} of ${wanted} completions, ${active} active, ${failed} failed...`
  )
}
