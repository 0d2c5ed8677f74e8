import type { AvailabilityBefore } from "./seeds/stateBefore.ts"
import type { LossCause } from "../scenario/ledger/serviceTraffic.ts"
import type { Phase } from "./seeds/phases.ts"
import type { QuotaPeak } from "./seeds/quotaPeaks.ts"

/** What was measured of one Deployment over all seeds. All times are in milliseconds. */
export interface RolloutFigures {
  readonly namespace: string
  readonly name: string
  readonly desired: number
  readonly isNew: boolean
  /** The least availability that any seed had before the rollout. */
  readonly before: AvailabilityBefore | undefined
  /** The median seed by duration. */
  readonly typical: { readonly seed: number; readonly phases: ReadonlyArray<Phase> }
  /** `Infinity` for seeds that are never complete, which is null in JSON; undefined if none is ever complete. */
  readonly duration: (Spread & { readonly worstSeed: number }) | undefined
  /** The longest time until a seed was given up; undefined if all were complete. */
  readonly givenUpMillis: number | undefined
  /** Of the seed with the fewest available Pods; undefined for a new Deployment. */
  readonly available:
    | {
        readonly fewest: number
        /** Duration with so few. */
        readonly fewestMillis: number
        /** Duration with fewer than desired. */
        readonly shortMillis: number
        readonly seed: number
      }
    | undefined
  /** The most of any seed, and what they request. */
  readonly pods: {
    readonly most: number
    readonly mostWithTerminating: number
    readonly cpu: string
    readonly memory: string
  }
  readonly quotas: ReadonlyArray<QuotaPeak>
  /** Of the worst seed; undefined for a new Deployment, and if no existing Service selects its Pods. */
  readonly requests:
    | {
        readonly services: ReadonlyArray<string>
        /** Services that select or reach no new Pod: their later requests are lost in addition to `lost`. */
        readonly unfound: ReadonlyArray<string>
        readonly lost: number
        readonly requests: number
        /** How many requests each cause has lost. */
        readonly because: Readonly<Record<LossCause, number>>
        readonly seed: number
        /** The median of `lost` over all seeds. */
        readonly lostHalf: number
      }
    | undefined
  /** Numbers of seeds: complete after the deadline; never complete. */
  readonly late: number
  readonly stuck: number
  /** The first late or stuck one. */
  readonly firstMissedSeed: number | undefined
  /** Why rollouts were late or stuck, with the number of seeds. */
  readonly reasons: ReadonlyArray<{ readonly reason: string; readonly seeds: number }>
  /**
   * How long `kubectl rollout undo` takes, tried with the first seeds; undefined if the template is unchanged or no
   * other revision exists.
   */
  readonly undo: (Partial<Spread> & { readonly seeds: number; readonly stuck: number }) | undefined
}

/** Median, 95th percentile and longest duration. */
export interface Spread {
  readonly p50: number
  readonly p95: number
  readonly worst: number
}
