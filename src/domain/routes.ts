import { perObservation } from "./perObservation.ts"
import { isScaling } from "./scaling.ts"
import { isTerminating } from "./ownerReferences.ts"
import { renumbering } from "./newReplicaSet.ts"
import { rollbackRevision } from "./deploymentCommands.ts"
import type { DeploymentObservation } from "./observations.ts"

/**
 * What a Deployment has to deal with before its strategy gets a say; the chart asks in its order.
 *
 * Source: pkg/controller/deployment/deployment_controller.go (syncDeployment).
 */
type Fact = (seen: DeploymentObservation) => boolean

/** Only what terminates was counted anew. */
export const isRecount: Fact = ({ extent }) => extent === "counts"
export const isClaiming: Fact = ({ claims }) => claims.adopt.length + claims.release.length > 0
export const isRenumbering: Fact = perObservation((seen) => renumbering(seen) !== undefined)
export const isBeingDeleted: Fact = ({ deployment }) => isTerminating(deployment)
export const isPaused: Fact = ({ deployment }) => deployment.spec.paused === true
export const isRollingBack: Fact = (seen) => rollbackRevision(seen) !== undefined
export const isBeingScaled: Fact = perObservation(isScaling)

/** Nothing comes before the strategy: the only case in which progress is judged. */
export const isRolling: Fact = perObservation(
  (seen) =>
    !isRecount(seen) &&
    !isClaiming(seen) &&
    !isRenumbering(seen) &&
    !isBeingDeleted(seen) &&
    !isPaused(seen) &&
    !isRollingBack(seen) &&
    !isBeingScaled(seen)
)
