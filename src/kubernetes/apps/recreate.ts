import { activeReplicaSets, statusReplicas } from "./replicaCounts.ts"
import { toResize } from "./rollingUpdate.ts"
import type { Resize } from "./rollingUpdate.ts"
import type { DeploymentObservation } from "./deploymentObservation.ts"

/** Source: deployment/recreate.go. */
export const planStop = (observation: DeploymentObservation): ReadonlyArray<Resize> =>
  activeReplicaSets(observation.oldReplicaSets).map((replicaSet) => toResize(replicaSet, 0))

/** Terminating Pods count, finished Pods do not. */
export const areOldPodsLeft = (observation: DeploymentObservation): boolean =>
  statusReplicas(observation.oldReplicaSets) > 0 || observation.unfinishedOldPods > 0

export const planStart = (observation: DeploymentObservation): ReadonlyArray<Resize> =>
  observation.newReplicaSet === undefined ||
  observation.newReplicaSet.spec.replicas === observation.deployment.spec.replicas
    ? []
    : [toResize(observation.newReplicaSet, observation.deployment.spec.replicas)]
