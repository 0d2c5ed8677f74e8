import { fencepostBounds } from "../../src/kubernetes/apps/rollingUpdate.ts"
import { recreate } from "./recreate.ts"
import { rollingUpdate } from "./rollingUpdate.ts"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"
import type { RolloutBounds } from "../../src/kubernetes/apps/rollingUpdate.ts"
import type { Strategy } from "./strategy.ts"

export const builtInStrategies: ReadonlyArray<Strategy> = [rollingUpdate, recreate]

/** A user's strategies beside the built-in ones; `builtInStrategies` itself if there are none. */
export const withBuiltInStrategies = (own: ReadonlyArray<Strategy> = []): ReadonlyArray<Strategy> =>
  own.length === 0 ? builtInStrategies : [...own, ...builtInStrategies]

/** The strategy that a Deployment selects; undefined if there is none of its type. */
export const strategyFor = (
  { spec }: Deployment,
  strategies: ReadonlyArray<Strategy> = builtInStrategies
): Strategy | undefined => strategies.find(({ type }) => type === spec.strategy.type)

/** Whether a Deployment's old Pods are gone before its new ones start. */
export const stopsOldFirst = (deployment: Deployment, strategies?: ReadonlyArray<Strategy>): boolean =>
  strategyFor(deployment, strategies)?.stopsOldFirst === true

/** The bounds that a Deployment keeps during a rollout. */
export const rolloutBounds = (deployment: Deployment, strategies?: ReadonlyArray<Strategy>): RolloutBounds =>
  (strategyFor(deployment, strategies)?.bounds ?? fencepostBounds)(deployment)

/**
 * The largest number of Pods that a Deployment may request at once. A strategy without bounds may run all new Pods
 * beside the old ones, unless those stop first.
 */
export const requestedPodsMax = (deployment: Deployment, strategies?: ReadonlyArray<Strategy>): number =>
  rolloutBounds(deployment, strategies).podsMax ??
  (stopsOldFirst(deployment, strategies) ? 1 : 2) * deployment.spec.replicas
