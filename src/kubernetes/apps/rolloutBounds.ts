import { resolveFenceposts } from "./deploymentObservation.ts"
import type { Deployment } from "../meta/objects.ts"

/** The bounds that a Deployment keeps during a rollout; undefined: no bound. */
export interface RolloutBounds {
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
}

/**
 * The bounds from `maxSurge` and `maxUnavailable`. Recreate, and a custom strategy without amounts, have none.
 *
 * Source: pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts).
 */
export const rolloutBounds = (deployment: Deployment): RolloutBounds => {
  const { replicas, strategy } = deployment.spec
  if (strategy.rollingUpdate === undefined) return { podsMax: undefined, availableMin: undefined }
  const { surgeMax, unavailableMax } = resolveFenceposts(deployment)
  return { podsMax: replicas + surgeMax, availableMin: replicas - unavailableMax }
}

/**
 * The largest number of Pods that a Deployment may request at once. Recreate starts new Pods after the old ones; a
 * custom strategy without bounds may run all new Pods beside the old ones.
 */
export const requestedPodsMax = (deployment: Deployment): number => {
  const { replicas, strategy } = deployment.spec
  return rolloutBounds(deployment).podsMax ?? (strategy.type === "Recreate" ? replicas : 2 * replicas)
}
