import * as scaling from "./scaling.ts"
import { isTerminating } from "../meta/deletion.ts"
import { isNewMissing, planRenumbering } from "./revisions/newReplicaSet.ts"
import { memoizePerObservation } from "./memoizePerObservation.ts"
import { rollbackRevision } from "./revisions/rollback.ts"
import type { DeploymentGuard } from "./deploymentObservation.ts"

/**
 * The chart `deployment` checks these guards in this order. Source:
 * deployment/deployment_controller.go (syncDeployment).
 */

export const isClaiming: DeploymentGuard = ({ claims }) => claims.adopt.length + claims.release.length > 0
export const isRenumbering: DeploymentGuard = memoizePerObservation(
  (observation) => planRenumbering(observation) !== undefined
)
export const isDeploymentTerminating: DeploymentGuard = ({ deployment }) => isTerminating(deployment)
export const isPaused: DeploymentGuard = ({ deployment }) => deployment.spec.paused === true
export const isRollingBack: DeploymentGuard = (observation) => rollbackRevision(observation) !== undefined
export const isScaling: DeploymentGuard = memoizePerObservation(scaling.isScalingEvent)

const reachesRollback: DeploymentGuard = memoizePerObservation(
  (observation) =>
    !isClaiming(observation) &&
    !isRenumbering(observation) &&
    !isDeploymentTerminating(observation) &&
    !isPaused(observation)
)

/** A rollback counts from the revision of the new ReplicaSet, which must exist first. */
export const needsReplicaSetBeforeRollback: DeploymentGuard = (observation) =>
  reachesRollback(observation) && isRollingBack(observation) && isNewMissing(observation)

/** Whether nothing takes precedence over the strategy. */
export const canStrategyAct: DeploymentGuard = (observation) =>
  reachesRollback(observation) && !isRollingBack(observation) && !isScaling(observation)
