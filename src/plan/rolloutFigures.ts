import type { AvailabilityBefore } from "./seeds/stateBefore.ts"
import type { LossCause } from "../scenario/ledger/services/serviceTraffic.ts"
import type { Phase, PlayedCounts } from "./seeds/phases.ts"
import type { QuotaPeak } from "./seeds/quotaPeaks.ts"
import type { WorkloadKind } from "./workloads.ts"

/** Measurements of one workload over all seeds. Times are in milliseconds. */
export interface RolloutFigures {
  readonly kind: WorkloadKind
  readonly namespace: string
  readonly name: string
  /** How many Pods are desired; for a Job, how many successes. */
  readonly desired: number
  readonly isNew: boolean
  readonly before: AvailabilityBefore | undefined
  /** The median seed by duration. */
  readonly typical: {
    readonly seed: number
    readonly phases: ReadonlyArray<Phase>
    readonly counts: ReadonlyArray<PlayedCounts>
  }
  /** `Infinity` (null in JSON) for seeds that never complete. */
  readonly duration: (Spread & { readonly worstSeed: number }) | undefined
  /** The longest time until a seed was given up. */
  readonly givenUpMillis: number | undefined
  /** The seed with the fewest available Pods; undefined for a new workload and for a Job. */
  readonly available:
    | {
        readonly fewest: number
        readonly fewestMillis: number
        /** How long fewer than desired were available. */
        readonly shortMillis: number
        readonly seed: number
      }
    | undefined
  /** The largest values over all seeds; cpu and memory are requests, terminating Pods included. */
  readonly pods: {
    readonly most: number
    readonly mostWithTerminating: number
    readonly cpu: string
    readonly memory: string
  }
  readonly quotas: ReadonlyArray<QuotaPeak>
  /** The worst seed; undefined without an existing Service that selects the Pods. */
  readonly requests:
    | {
        readonly services: ReadonlyArray<string>
        /** Services that reach no new Pod and lose all requests after the rollout. */
        readonly unfound: ReadonlyArray<string>
        readonly lost: number
        readonly requests: number
        readonly because: Readonly<Record<LossCause, number>>
        readonly seed: number
        /** Median of `lost` over all seeds. */
        readonly lostHalf: number
      }
    | undefined
  /** How many seeds completed after the progress deadline. */
  readonly late: number
  /** How many seeds never completed. */
  readonly stuck: number
  /** The first seed that was late or stuck. */
  readonly firstMissedSeed: number | undefined
  /**
   * Why seeds were late or stuck, most frequent first. `field` is a path such as
   * `spec.template.spec.containers[0].image`.
   */
  readonly reasons: ReadonlyArray<{
    readonly reason: string
    readonly seeds: number
    readonly field?: string
  }>
  /** How long `kubectl rollout undo` takes with the first `seeds`; undefined if there is nothing to undo. */
  readonly undo: (Partial<Spread> & { readonly seeds: number; readonly stuck: number }) | undefined
}

export interface Spread {
  readonly p50: number
  readonly p95: number
  readonly worst: number
}
