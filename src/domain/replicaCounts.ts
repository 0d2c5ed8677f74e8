import type { Deployment, DeploymentStatus, ReplicaSet } from "./objects.ts"

/**
 * Sums over ReplicaSets, and the counts of a Deployment that they come to.
 *
 * Source: pkg/controller/deployment/sync.go (calculateStatus), util/deployment_util.go
 * (GetReplicaCountForReplicaSets).
 */

/** Sum of what the ReplicaSets are asked to run. */
export const specReplicas = (replicaSets: ReadonlyArray<ReplicaSet>): number =>
  replicaSets.reduce((sum, it) => sum + it.spec.replicas, 0)

/** Sum of the Pods the ReplicaSets report, terminating ones not among them. */
export const statusReplicas = (replicaSets: ReadonlyArray<ReplicaSet>): number =>
  replicaSets.reduce((sum, it) => sum + (it.status.replicas ?? 0), 0)

export const availableReplicas = (replicaSets: ReadonlyArray<ReplicaSet>): number =>
  replicaSets.reduce((sum, it) => sum + (it.status.availableReplicas ?? 0), 0)

/** ReplicaSets that are asked to run anything. */
export const activeOf = (replicaSets: ReadonlyArray<ReplicaSet>): ReadonlyArray<ReplicaSet> =>
  replicaSets.filter((it) => it.spec.replicas > 0)

/** The counts of a status; conditions are reported apart. */
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

/**
 * Terminating Pods are counted where the feature gate DeploymentReplicaSetTerminatingReplicas is on.
 * Only `unavailableReplicas` is measured against what is asked for; the others count Pods as ReplicaSets
 * report them.
 */
export const countReplicas = (
  deployment: Deployment,
  replicaSets: ReadonlyArray<ReplicaSet>,
  next: ReplicaSet | undefined,
  countsTerminating = true
): DeploymentCounts => {
  const available = availableReplicas(replicaSets)
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: statusReplicas(replicaSets),
    updatedReplicas: next?.status.replicas ?? 0,
    readyReplicas: replicaSets.reduce((sum, it) => sum + (it.status.readyReplicas ?? 0), 0),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, specReplicas(replicaSets) - available),
    terminatingReplicas: countsTerminating ? terminatingOf(replicaSets) : undefined
  }
}

/**
 * Unknown as long as one ReplicaSet that has been looked at does not say. One never looked at is passed
 * over.
 */
const terminatingOf = (replicaSets: ReadonlyArray<ReplicaSet>): number | undefined => {
  let sum = 0
  for (const { status } of replicaSets) {
    if (status.terminatingReplicas !== undefined) sum += status.terminatingReplicas
    else if ((status.observedGeneration ?? 0) > 0) return undefined
  }
  return sum
}
