import { isPlacementDeadlockText } from "../../kubernetes/scheduling/placementDeadlock.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { LongestPodTimes } from "../seeds/podTimes.ts"
import type { ObjectChange } from "./objectChange.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { TrafficOptions } from "../../scenario/ledger/services/serviceTraffic.ts"

export interface AdviceContext {
  readonly longestTimes: LongestPodTimes
  readonly traffic: TrafficOptions
  readonly strategies?: ReadonlyArray<Strategy>
  /** The port that gets requests, by the name of its container. */
  readonly servingPorts: ReadonlyMap<string, number>
  /** Names of containers that get no requests before their Pod is ready. */
  readonly servingOnlyWhenReady: ReadonlySet<string>
}

export interface Proposal {
  readonly text: string
  /** The proposal becomes advice if this change improves the rollout; without a change, the text is a remark. */
  readonly change?: ObjectChange
  /** Replaces the text if the change does not improve the rollout. */
  readonly remark?: string
}

export type Adviser = (
  deployment: Deployment,
  figures: RolloutFigures,
  context: AdviceContext
) => Proposal | undefined

export const specChange = ({ metadata }: Deployment, spec: Fields): ObjectChange => ({
  kind: "Deployment",
  namespace: metadata.namespace ?? "default",
  name: metadata.name,
  fields: { spec }
})

export const podSpecChange = (deployment: Deployment, podSpec: Fields): ObjectChange =>
  specChange(deployment, { template: { spec: podSpec } })

/** Whether new Pods wait for the room of old ones, and old ones for a new Pod. */
export const hasPlacementDeadlock = ({ reasons }: RolloutFigures): boolean =>
  reasons.some(({ reason }) => isPlacementDeadlockText(reason))

export const formatSeconds = (millis: number): string => `${Math.ceil(millis / 100) / 10}s`
