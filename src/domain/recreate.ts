import { activeOf, statusReplicas } from "./replicaCounts.ts"
import { resize } from "./rollingUpdate.ts"
import type { Resize } from "./rollingUpdate.ts"
import type { DeploymentObservation } from "./observations.ts"

/**
 * Recreate: all old ReplicaSets to 0; the new one only after the last old Pod is gone or finished.
 *
 * Source: pkg/controller/deployment/recreate.go.
 */
export const planStop = (observation: DeploymentObservation): ReadonlyArray<Resize> =>
  activeOf(observation.previous).map((replicaSet) => resize(replicaSet, 0))

/** Whether a Pod of an old revision may still run. Terminating Pods count, finished ones do not. */
export const isPreviousRunning = (observation: DeploymentObservation): boolean =>
  statusReplicas(observation.previous) > 0 || observation.podsUnderPrevious > 0

/** Scales the new ReplicaSet to its full size in one step. */
export const planStart = (observation: DeploymentObservation): ReadonlyArray<Resize> =>
  observation.next === undefined || observation.next.spec.replicas === observation.deployment.spec.replicas
    ? []
    : [resize(observation.next, observation.deployment.spec.replicas)]
