import { activeOf, statusReplicas } from "./replicaCounts.ts"
import { resize } from "./rollingUpdate.ts"
import type { Resize } from "./rollingUpdate.ts"
import type { DeploymentObservation } from "./observations.ts"

/**
 * The arithmetic of Recreate: everything old to 0, and nothing new before the last old Pod is gone or has finished.
 *
 * Source: pkg/controller/deployment/recreate.go.
 */
export const planStop = (seen: DeploymentObservation): ReadonlyArray<Resize> =>
  activeOf(seen.previous).map((replicaSet) => resize(replicaSet, 0))

/** Whether a Pod of an old revision may still run. Terminating Pods count, finished ones do not. */
export const isPreviousRunning = (seen: DeploymentObservation): boolean =>
  statusReplicas(seen.previous) > 0 || seen.podsUnderPrevious > 0

/** The new ReplicaSet goes to its full size in one step. */
export const planStart = (seen: DeploymentObservation): ReadonlyArray<Resize> =>
  seen.next === undefined || seen.next.spec.replicas === seen.deployment.spec.replicas
    ? []
    : [resize(seen.next, seen.deployment.spec.replicas)]
