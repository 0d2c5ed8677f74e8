import * as progress from "./progress.ts"
import * as scaling from "./scaling.ts"
import { isTerminating } from "../meta/deletion.ts"
import { isNewMissing, planRenumbering, revisionToPublish } from "./revisions/newReplicaSet.ts"
import { memoizePerObservation } from "./memoizePerObservation.ts"
import { annotationOf, revisionAnnotation } from "./revisions/revisions.ts"
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

const reachesScaling: DeploymentGuard = (observation) =>
  reachesRollback(observation) && !isRollingBack(observation)

/** Whether nothing takes precedence over the strategy. */
export const canStrategyAct: DeploymentGuard = (observation) =>
  reachesScaling(observation) && !isScaling(observation)

/**
 * Kubernetes writes a revision and some conditions on their own: its report of the counts is then refused, and the
 * retry, no scaling event any more, judges progress. A first revision is written while ReplicaSets are adopted.
 * Source: deployment/sync.go (getNewReplicaSet).
 */
export const isScalingRetried: DeploymentGuard = (observation) =>
  reachesScaling(observation) &&
  isScaling(observation) &&
  scaling.isScaledAtOnce(observation) &&
  annotationOf(observation.deployment, revisionAnnotation) !== undefined &&
  (revisionToPublish(observation) !== undefined ||
    progress.isResuming(observation) ||
    progress.isNewlyFound(observation))
