import type { Deployment, DeploymentStatus, ReplicaSet } from "../meta/objects.ts"

/** Source: deployment/sync.go, util/deployment_util.go. */

export const specReplicas = (replicaSets: ReadonlyArray<ReplicaSet>): number =>
  replicaSets.reduce((sum, it) => sum + it.spec.replicas, 0)

/** Terminating Pods are not counted. */
export const statusReplicas = (replicaSets: ReadonlyArray<ReplicaSet>): number =>
  replicaSets.reduce((sum, it) => sum + (it.status.replicas ?? 0), 0)

export const availableReplicas = (replicaSets: ReadonlyArray<ReplicaSet>): number =>
  replicaSets.reduce((sum, it) => sum + (it.status.availableReplicas ?? 0), 0)

export const activeReplicaSets = (replicaSets: ReadonlyArray<ReplicaSet>): ReadonlyArray<ReplicaSet> =>
  replicaSets.filter((it) => it.spec.replicas > 0)

export type DeploymentCounts = Required<
  Pick<
    DeploymentStatus,
    | "observedGeneration"
    | "replicas"
    | "updatedReplicas"
    | "readyReplicas"
    | "availableReplicas"
    | "unavailableReplicas"
  >
> & { readonly terminatingReplicas: number | undefined }

/** `unavailableReplicas` is relative to the desired replicas of the ReplicaSets. */
export const countReplicas = (
  deployment: Deployment,
  replicaSets: ReadonlyArray<ReplicaSet>,
  newReplicaSet: ReplicaSet | undefined,
  countsTerminating = true
): DeploymentCounts => {
  const available = availableReplicas(replicaSets)
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: statusReplicas(replicaSets),
    updatedReplicas: newReplicaSet?.status.replicas ?? 0,
    readyReplicas: replicaSets.reduce((sum, it) => sum + (it.status.readyReplicas ?? 0), 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, specReplicas(replicaSets) - available),
    terminatingReplicas: countsTerminating ? terminatingReplicasOf(replicaSets) : undefined
  }
}

/** Undefined if a ReplicaSet that has been observed does not report the count. */
const terminatingReplicasOf = (replicaSets: ReadonlyArray<ReplicaSet>): number | undefined => {
  let sum = 0
  for (const { status } of replicaSets) {
    if (status.terminatingReplicas !== undefined) sum += status.terminatingReplicas
    else if ((status.observedGeneration ?? 0) > 0) return undefined
  }
  return sum
}
