import { fenceposts } from "./observations.ts"
import type { Deployment } from "./objects.ts"

/** What a Deployment promises while its controller works: undefined where it promises nothing. */
export interface Promises {
  readonly podsMax: number | undefined
  readonly availableMin: number | undefined
}

/**
 * What the spec says: `maxSurge` and `maxUnavailable` where it has them. Recreate, and a strategy of somebody's own
 * that takes no amounts, promise nothing.
 *
 * Source: pkg/controller/deployment/util/deployment_util.go (ResolveFenceposts).
 */
export const promisesOf = (deployment: Deployment): Promises => {
  const { replicas, strategy } = deployment.spec
  if (strategy.rollingUpdate === undefined) return { podsMax: undefined, availableMin: undefined }
  const { surgeMax, unavailableMax } = fenceposts(deployment)
  return { podsMax: replicas + surgeMax, availableMin: replicas - unavailableMax }
}

/**
 * The most Pods that a Deployment may ask for at once: Recreate begins with nothing beside what was before, and a
 * strategy of somebody's own, which promises nothing, may have all of what is new beside it.
 */
export const podsMostOf = (deployment: Deployment): number => {
  const { replicas, strategy } = deployment.spec
  return promisesOf(deployment).podsMax ?? (strategy.type === "Recreate" ? replicas : 2 * replicas)
}
