import { activeReplicaSets, statusReplicas } from "./replicaCounts.ts"
import { toResize } from "./rollingUpdate.ts"
import type { Resize } from "./rollingUpdate.ts"
import type { DeploymentObservation } from "./deploymentObservation.ts"

/**
 * Recreate: all old ReplicaSets to 0; the new one only after the last old Pod is gone or finished.
 * Source: pkg/controller/deployment/recreate.go.
 */
export const planStop = (observation: DeploymentObservation): ReadonlyArray<Resize> =>
  activeReplicaSets(observation.oldReplicaSets).map((replicaSet) => toResize(replicaSet, 0))

/** Whether a Pod of an old revision may still run. Terminating Pods count, finished ones do not. */
export const areOldPodsLeft = (observation: DeploymentObservation): boolean =>
  statusReplicas(observation.oldReplicaSets) > 0 || observation.unfinishedOldPods > 0

/** Scales the new ReplicaSet to its full size in one step. */
export const planStart = (observation: DeploymentObservation): ReadonlyArray<Resize> =>
  observation.newReplicaSet === undefined ||
  observation.newReplicaSet.spec.replicas === observation.deployment.spec.replicas
    ? []
    : [toResize(observation.newReplicaSet, observation.deployment.spec.replicas)]
