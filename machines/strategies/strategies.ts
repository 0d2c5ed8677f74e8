import { fencepostBounds } from "../../src/kubernetes/apps/rolloutBounds.ts"
import { recreate } from "./recreate.ts"
import { rollingUpdate } from "./rollingUpdate.ts"
import type { Deployment } from "../../src/kubernetes/meta/objects.ts"
import type { RolloutBounds } from "../../src/kubernetes/apps/rolloutBounds.ts"
import type { Strategy } from "./strategy.ts"

export const builtInStrategies: ReadonlyArray<Strategy> = [rollingUpdate, recreate]

/** Returns `builtInStrategies` itself if there are no others, since charts are cached by list. */
export const withBuiltInStrategies = (own: ReadonlyArray<Strategy> = []): ReadonlyArray<Strategy> =>
  own.length === 0 ? builtInStrategies : [...own, ...builtInStrategies]

export const strategyFor = (
  { spec }: Deployment,
  strategies: ReadonlyArray<Strategy> = builtInStrategies
): Strategy | undefined => strategies.find(({ type }) => type === spec.strategy.type)

export const stopsOldFirst = (deployment: Deployment, strategies?: ReadonlyArray<Strategy>): boolean =>
  strategyFor(deployment, strategies)?.stopsOldFirst === true

export const rolloutBounds = (deployment: Deployment, strategies?: ReadonlyArray<Strategy>): RolloutBounds =>
  (strategyFor(deployment, strategies)?.bounds ?? fencepostBounds)(deployment)

/**
 * The most Pods that a rollout requests at once. Without a ceiling, all new Pods may run beside all old ones, unless
 * the strategy stops old Pods first.
 */
export const requestedPodsMax = (deployment: Deployment, strategies?: ReadonlyArray<Strategy>): number =>
  rolloutBounds(deployment, strategies).podsMax ??
  (stopsOldFirst(deployment, strategies) ? 1 : 2) * deployment.spec.replicas
