import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"
import type { LongestPodTimes } from "../seeds/podTimes.ts"
import type { TrafficOptions } from "../../scenario/ledger/serviceTraffic.ts"

export interface AdviceContext {
  readonly longest: LongestPodTimes
  readonly traffic: TrafficOptions
  /** Default: the built-in strategies. */
  readonly strategies?: ReadonlyArray<Strategy>
  readonly servingContainers: ReadonlySet<string>
  /** Those of them that get no requests before their Pod is ready. */
  readonly awaitingReadiness: ReadonlySet<string>
}

/** Advice on one field of the manifest, if it should change. */
export type Adviser = (
  deployment: Deployment,
  figures: RolloutFigures,
  context: AdviceContext
) => string | undefined

/** `12.3s`, rounded up. */
export const formatSeconds = (millis: number): string => `${Math.ceil(millis / 100) / 10}s`
