import * as scaling from "./scaling.ts"
import * as owners from "./ownerReferences.ts"
import { isNextMissing, renumbering } from "./newReplicaSet.ts"
import { perObservation } from "./perObservation.ts"
import { rollbackRevision } from "./rollback.ts"
import type { Fact } from "./observations.ts"

/**
 * What takes precedence over a Deployment's strategy; the chart checks it in this order.
 *
 * Source: pkg/controller/deployment/deployment_controller.go (syncDeployment).
 */

export const isClaiming: Fact = ({ claims }) => claims.adopt.length + claims.release.length > 0
export const isRenumbering: Fact = perObservation((observation) => renumbering(observation) !== undefined)
export const isTerminating: Fact = ({ deployment }) => owners.isTerminating(deployment)
export const isPaused: Fact = ({ deployment }) => deployment.spec.paused === true
export const isRollingBack: Fact = (observation) => rollbackRevision(observation) !== undefined
export const isScaling: Fact = perObservation(scaling.isScaling)

/**
 * Its ReplicaSets are claimed and numbered, and it is neither terminating nor paused: a new revision may be rolled
 * out.
 */
const canRevise: Fact = perObservation(
  (observation) =>
    !isClaiming(observation) &&
    !isRenumbering(observation) &&
    !isTerminating(observation) &&
    !isPaused(observation)
)

/**
 * A rollback is requested, but the present template has no ReplicaSet. It gets one first, and with it the revision
 * number that the rollback counts from.
 */
export const isLeavingUnnumbered: Fact = (observation) =>
  canRevise(observation) && isRollingBack(observation) && isNextMissing(observation)

/** The strategy decides; only then is progress judged. */
export const isRolling: Fact = (observation) =>
  canRevise(observation) && !isRollingBack(observation) && !isScaling(observation)
