import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { Load } from "../../behaviours/load/load.ts"
import type { LoadAccount } from "../../cluster/loads/loadShares.ts"
import type { OutsideMetric } from "../../cluster/loads/outsideMetrics.ts"
import type { ClusterOptions } from "../../cluster/clusterOptions.ts"
import type { Manifest } from "../../kubernetes/meta/objects.ts"
import type { Fault, RandomFaults } from "../../faults/fault.ts"
import type { Cluster } from "../../cluster/cluster.ts"
import type { Ledger } from "../ledger/ledger.ts"

type Duration = string

/** A scenario, as in YAML of `kind: Scenario`. */
export interface Story {
  readonly name: string
  readonly description?: string
  /** Default 1. `--seed` and `--seeds` override it. */
  readonly seed?: number
  readonly nodes?: ClusterOptions["nodes"]
  /** RFC 3339 text; default: 2026-01-01T00:00:00Z. */
  readonly startTime?: string
  readonly behaviour?: string | Behaviour
  readonly behaviours?: ReadonlyArray<Behaviour>
  /** Objects that exist and have settled before the story begins. */
  readonly start?: ReadonlyArray<Manifest>
  readonly steps: ReadonlyArray<StoryStep>
  /** Faults at fixed times, independent of the steps. */
  readonly faults?: ReadonlyArray<Fault & { readonly at: Duration }>
  readonly weather?: RandomFaults
  readonly invariants?: ReadonlyArray<StoryCondition>
  /** The story passes only if it fails with a message that contains this text. */
  readonly expectFailure?: string
  /** A story that has not settled within these limits fails. Default: 1h and 100,000 writes. */
  readonly limit?: {
    readonly time?: Duration
    /** The number of writes, not of the story's steps. */
    readonly steps?: number
  }
}

/** Without `at`, `after` and `when`, a step starts when the previous step is done. */
export type StoryStep = StoryAction & {
  /** Since the story began. */
  readonly at?: Duration
  /** Since the previous step. */
  readonly after?: Duration
  /** The step starts once the condition holds, and fails after `within` (default 1h). */
  readonly when?: StoryCondition
  readonly within?: Duration
}

/** Objects are named `deployment/web`, or `deployment/shop/web` in namespace `shop`. */
export type StoryAction =
  | (StoryWrite & {
      /** The write must be refused with a message that contains this text. */
      readonly expectRefused?: string
    })
  /** Fails after `within` (default 1h). */
  | { readonly waitFor: StoryCondition }
  | { readonly expect: StoryCondition }
  | { readonly advance: Duration }
  | ({ readonly setLoad: string } & Load)
  | ({ readonly setMetric: string } & Omit<OutsideMetric, "name">)
  | Fault

export type StoryWrite =
  | { readonly apply: ReadonlyArray<Manifest> }
  | { readonly patch: string; readonly with: object }
  | { readonly scale: string; readonly to: number }
  /** Images by container name; `*` means every container. */
  | { readonly setImage: string; readonly images: Readonly<Record<string, string>> }
  | { readonly pause: string }
  | { readonly resume: string }
  | { readonly undo: string; readonly toRevision?: number }
  | { readonly delete: string }

/**
 * A predicate, or `[SUBJECT] MEASURE OPERATOR VALUE` and `[SUBJECT] is [not] STATE`, joined by `and`: `available >=
 * 8` (of every Deployment), `deployment/web available >= 80%` (of the desired replicas), `service/web lost = 0`,
 * `deployment/web is complete`.
 */
export type StoryCondition = string | ((world: StoryWorld) => boolean)

/** What a condition may read. */
export interface StoryWorld {
  readonly view: Cluster["Service"]["view"]
  readonly nowMillis: number
  /** Since the story began. */
  readonly sinceMillis: number
  readonly ledger: Ledger
  /** The requests to the Pods of each behaviour and namespace. */
  readonly loads: () => ReadonlyArray<LoadAccount>
}
