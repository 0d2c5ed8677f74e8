import type { AvailabilityBefore } from "./seeds/stateBefore.ts"
import type { LossCause } from "../scenario/ledger/serviceTraffic.ts"
import type { Phase, PlayedCounts } from "./seeds/phases.ts"
import type { QuotaPeak } from "./seeds/quotaPeaks.ts"
import type { WorkloadKind } from "./workloads.ts"

/** Measurements of one workload over all seeds. Times are in milliseconds. */
export interface RolloutFigures {
  readonly kind: WorkloadKind
  readonly namespace: string
  readonly name: string
  /** How many Pods the workload should have; for a Job, how many should succeed. */
  readonly desired: number
  /** Whether nothing of the workload runs before the rollout. */
  readonly isNew: boolean
  /** The least availability before the rollout, over all seeds. */
  readonly before: AvailabilityBefore | undefined
  /** The median seed by duration. */
  readonly typical: {
    readonly seed: number
    readonly phases: ReadonlyArray<Phase>
    readonly counts: ReadonlyArray<PlayedCounts>
  }
  /** `Infinity` (null in JSON) for seeds that are never complete; undefined if none is ever complete. */
  readonly duration: (Spread & { readonly worstSeed: number }) | undefined
  /** The longest time until a seed was given up; undefined if all were complete. */
  readonly givenUpMillis: number | undefined
  /** In the seed with the fewest available Pods; undefined for a new workload, and for a Job, whose Pods end. */
  readonly available:
    | {
        readonly fewest: number
        /** How long so few were available. */
        readonly fewestMillis: number
        /** How long fewer than desired were available. */
        readonly shortMillis: number
        readonly seed: number
      }
    | undefined
  /** The largest values over all seeds, each on its own; cpu and memory are requests, terminating Pods included. */
  readonly pods: {
    readonly most: number
    readonly mostWithTerminating: number
    readonly cpu: string
    readonly memory: string
  }
  readonly quotas: ReadonlyArray<QuotaPeak>
  /** In the worst seed; undefined for a new workload, or without an existing Service that selects its Pods. */
  readonly requests:
    | {
        readonly services: ReadonlyArray<string>
        /** Services that reach no new Pod: after the measurement, which `lost` counts, they lose all requests. */
        readonly unfound: ReadonlyArray<string>
        readonly lost: number
        readonly requests: number
        /** The lost requests by cause. */
        readonly because: Readonly<Record<LossCause, number>>
        readonly seed: number
        /** Median of `lost` over all seeds. */
        readonly lostHalf: number
      }
    | undefined
  /** Numbers of seeds that were complete after the deadline, or never. */
  readonly late: number
  readonly stuck: number
  /** The first late or stuck seed. */
  readonly firstMissedSeed: number | undefined
  /**
   * Why seeds were late or stuck, most frequent first. `field`: what in the manifest this is about, if it is known:
   * `spec.template.spec.containers[0].image`.
   */
  readonly reasons: ReadonlyArray<{
    readonly reason: string
    readonly seeds: number
    readonly field?: string
  }>
  /**
   * How long `kubectl rollout undo` takes with the first `seeds`, of which it never completes with `stuck`; undefined
   * if there is nothing to undo.
   */
  readonly undo: (Partial<Spread> & { readonly seeds: number; readonly stuck: number }) | undefined
}

/** Half of the seeds take at most `p50`, 95% at most `p95`, all at most `worst`. */
export interface Spread {
  readonly p50: number
  readonly p95: number
  readonly worst: number
}
