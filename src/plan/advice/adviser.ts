import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"
import type { LongestPodTimes } from "../seeds/podTimes.ts"
import type { TrafficOptions } from "../../scenario/ledger/serviceTraffic.ts"

/** Observations over all seeds that are not part of the plan. */
export interface AdviceContext {
  readonly longest: LongestPodTimes
  readonly traffic: TrafficOptions
  /** Default: the built-in ones. */
  readonly strategies?: ReadonlyArray<Strategy>
  /** Names of the containers that Services send requests to. */
  readonly servingContainers: ReadonlySet<string>
  /** Serving containers that get no requests from any Service before their Pod is ready. */
  readonly awaitingReadiness: ReadonlySet<string>
}

/** Advice on one field; undefined if that field is not the cause. */
export type Adviser = (
  deployment: Deployment,
  figures: RolloutFigures,
  context: AdviceContext
) => string | undefined

/** `12.3s`, rounded up. */
export const formatSeconds = (millis: number): string => `${Math.ceil(millis / 100) / 10}s`
