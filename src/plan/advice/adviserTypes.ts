import { isPlacementDeadlock } from "../../kubernetes/scheduling/placementDeadlock.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { Fields } from "../../kubernetes/meta/fields.ts"
import type { LongestPodTimes } from "../seeds/podTimes.ts"
import type { ObjectChange } from "./objectChange.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"
import type { Strategy } from "../../../machines/strategies/strategy.ts"
import type { TrafficOptions } from "../../scenario/ledger/serviceTraffic.ts"

/** What advisers know beside the Deployment and its figures. */
export interface AdviceContext {
  readonly longestTimes: LongestPodTimes
  readonly traffic: TrafficOptions
  /** Default: the built-in strategies. */
  readonly strategies?: ReadonlyArray<Strategy>
  /** By the names of the containers to which Services send requests: the port that gets them. */
  readonly servingPorts: ReadonlyMap<string, number>
  /** The names of those containers that get no requests before their Pod is ready. */
  readonly servingOnlyWhenReady: ReadonlySet<string>
}

/** What may be wrong with a manifest, and what would help. */
export interface Proposal {
  readonly text: string
  /** Is played, and becomes advice if the rollout is then better. Without a change, the text is a remark. */
  readonly change?: ObjectChange
  /** Shown instead of the text if the change makes the rollout no better. */
  readonly remark?: string
}

/** A proposal for one field of the manifest, if it should change. */
export type Adviser = (
  deployment: Deployment,
  figures: RolloutFigures,
  context: AdviceContext
) => Proposal | undefined

/** A strategic merge patch of the Deployment's spec. */
export const specChange = ({ metadata }: Deployment, spec: Fields): ObjectChange => ({
  kind: "Deployment",
  namespace: metadata.namespace ?? "default",
  name: metadata.name,
  fields: { spec }
})

export const podSpecChange = (deployment: Deployment, podSpec: Fields): ObjectChange =>
  specChange(deployment, { template: { spec: podSpec } })

/** Whether new Pods wait for the nodes of old ones, and old ones for a new Pod. */
export const waitsForItself = ({ reasons }: RolloutFigures): boolean =>
  reasons.some(({ reason }) => isPlacementDeadlock(reason))

/** `12.3s`, rounded up. */
export const formatSeconds = (millis: number): string => `${Math.ceil(millis / 100) / 10}s`
