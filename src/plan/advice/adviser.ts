import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"
import type { LongestPodTimes } from "../seeds/podTimes.ts"
import type { TrafficOptions } from "../../scenario/ledger/serviceTraffic.ts"

/** What advice needs beside the figures of the rollout. */
export interface AdviceContext {
  /** The longest times of new Pods over all seeds. */
  readonly longest: LongestPodTimes
  readonly traffic: TrafficOptions
  /** Default: the built-in ones. */
  readonly strategies?: ReadonlyArray<Strategy>
  /** Names of the containers that Services send requests to. */
  readonly servingContainers: ReadonlySet<string>
  /** Of these, the ones that get no requests from any Service before their Pod is ready. */
  readonly awaitingReadiness: ReadonlySet<string>
}

/** Advice on one field of the manifest; undefined if the field needs no change. */
export type Adviser = (
  deployment: Deployment,
  figures: RolloutFigures,
  context: AdviceContext
) => string | undefined

/** `12.3s`, rounded up. */
export const formatSeconds = (millis: number): string => `${Math.ceil(millis / 100) / 10}s`
