import * as scaling from "./scaling.ts"
import { isTerminating } from "../meta/deletion.ts"
import { isNewMissing, planRenumbering } from "./revisions/newReplicaSet.ts"
import { memoizePerObservation } from "./memoizePerObservation.ts"
import { rollbackRevision } from "./revisions/rollback.ts"
import type { DeploymentGuard } from "./deploymentObservation.ts"

/**
 * What takes precedence over a Deployment's strategy; the chart checks it in this order.
 * Source: pkg/controller/deployment/deployment_controller.go (syncDeployment).
 */

/** Whether there are ReplicaSets to adopt or to release. */
export const isClaiming: DeploymentGuard = ({ claims }) => claims.adopt.length + claims.release.length > 0
/** Whether the new ReplicaSet lacks the latest revision number, annotations or `minReadySeconds`. */
export const isRenumbering: DeploymentGuard = memoizePerObservation(
  (observation) => planRenumbering(observation) !== undefined
)
export const isDeploymentTerminating: DeploymentGuard = ({ deployment }) => isTerminating(deployment)
export const isPaused: DeploymentGuard = ({ deployment }) => deployment.spec.paused === true
/** Whether an annotation requests a rollback. */
export const isRollingBack: DeploymentGuard = (observation) => rollbackRevision(observation) !== undefined
/** Whether `spec.replicas` has changed, which is to be distributed among the ReplicaSets. */
export const isScaling: DeploymentGuard = memoizePerObservation(scaling.isScalingEvent)

/**
 * Whether a new revision may be rolled out: the Deployment's ReplicaSets are claimed and numbered, and it is neither
 * terminating nor paused.
 */
const canRevise: DeploymentGuard = memoizePerObservation(
  (observation) =>
    !isClaiming(observation) &&
    !isRenumbering(observation) &&
    !isDeploymentTerminating(observation) &&
    !isPaused(observation)
)

/**
 * A rollback is requested, but the present template has no ReplicaSet. It gets one first, and with it the revision
 * number that the rollback counts from.
 */
export const needsReplicaSetBeforeRollback: DeploymentGuard = (observation) =>
  canRevise(observation) && isRollingBack(observation) && isNewMissing(observation)

/** Whether the strategy decides, as nothing takes precedence. Only then is the progress of the rollout judged. */
export const canStrategyAct: DeploymentGuard = (observation) =>
  canRevise(observation) && !isRollingBack(observation) && !isScaling(observation)
