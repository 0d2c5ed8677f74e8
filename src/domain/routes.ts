import * as scaling from "./scaling.ts"
import * as owners from "./ownerReferences.ts"
import { isNextMissing, renumbering } from "./newReplicaSet.ts"
import { perObservation } from "./perObservation.ts"
import { rollbackRevision } from "./rollback.ts"
import type { Fact } from "./observations.ts"

/**
 * What a Deployment has to deal with before its strategy gets a say; the chart asks in its order.
 *
 * Source: pkg/controller/deployment/deployment_controller.go (syncDeployment).
 */

export const isClaiming: Fact = ({ claims }) => claims.adopt.length + claims.release.length > 0
export const isRenumbering: Fact = perObservation((seen) => renumbering(seen) !== undefined)
export const isTerminating: Fact = ({ deployment }) => owners.isTerminating(deployment)
export const isPaused: Fact = ({ deployment }) => deployment.spec.paused === true
export const isRollingBack: Fact = (seen) => rollbackRevision(seen) !== undefined
export const isScaling: Fact = perObservation(scaling.isScaling)

/** Its children are in step, and it is neither going nor paused: it may have a new revision. */
const mayRevise: Fact = perObservation(
  (seen) => !isClaiming(seen) && !isRenumbering(seen) && !isTerminating(seen) && !isPaused(seen)
)

/**
 * The revision to go back from has no ReplicaSet yet: it gets one first, and with it a number, from which the one to
 * go back to is told.
 */
export const isLeavingUnnumbered: Fact = (seen) =>
  mayRevise(seen) && isRollingBack(seen) && isNextMissing(seen)

/** Nothing comes before the strategy: the only case in which progress is judged. */
export const isRolling: Fact = (seen) => mayRevise(seen) && !isRollingBack(seen) && !isScaling(seen)
