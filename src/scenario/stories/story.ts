import type { Behaviour } from "../../behaviours/behaviour.ts"
import type { ClusterOptions } from "../../clusterOptions.ts"
import type { Manifest } from "../../domain/objects.ts"
import type { Fault, RandomFaults } from "../../faults/fault.ts"
import type { Cluster } from "../../cluster.ts"
import type { Ledger } from "../ledger/ledger.ts"

/** Go's notation: `250ms`, `1m30s`. */
type Duration = string

/** What happens to a cluster, from its beginning to its end: the same in YAML (`kind: Scenario`) and in TypeScript. */
export interface Story {
  readonly name: string
  readonly description?: string
  /** 1 where it is left out; `--seed` and `--seeds` say otherwise. */
  readonly seed?: number
  readonly nodes?: ClusterOptions["nodes"]
  readonly behaviour?: string | Behaviour
  readonly behaviours?: ReadonlyArray<Behaviour>
  /** What is there, and has come to rest, before the story begins. */
  readonly start?: ReadonlyArray<Manifest>
  readonly steps: ReadonlyArray<Step>
  /** Faults at times of their own, whatever the steps wait for. */
  readonly faults?: ReadonlyArray<Fault & { readonly at: Duration }>
  /** Faults drawn from the seed beside those among the steps. */
  readonly weather?: RandomFaults
  /** What must hold at every instant from the story's beginning on: `available >= 8`, or a predicate. */
  readonly invariants?: ReadonlyArray<Condition>
  /** It must fail, in words of which these are a part: then it has passed, and otherwise it has failed. */
  readonly expectFailure?: string
  /** A story that has not settled by then has failed: 1h and 100,000 steps of controllers where it is left out. */
  readonly limit?: { readonly time?: Duration; readonly steps?: number }
}

/** One step: when, and what. At most one of `at`, `after`, `when`; with none, as soon as the step before is done. */
export type Step = Deed & {
  /** Time since the story began. */
  readonly at?: Duration
  /** Time since the step before. */
  readonly after?: Duration
  /** As soon as this holds; `within` says how long that may take, 1h where it is left out. */
  readonly when?: Condition
  readonly within?: Duration
}

/** What a step does. Names are `deployment/web`, or `deployment/shop/web` in namespace `shop`. */
export type Deed =
  | (Write & {
      /** It must be refused, in words of which these are a part. */
      readonly expectRefused?: string
    })
  /** Waits; fails the story where it does not come true `within` (1h). */
  | { readonly waitFor: Condition }
  /** Must hold at this moment. */
  | { readonly expect: Condition }
  | { readonly advance: Duration }
  | Fault

/** What kubectl would write. */
export type Write =
  | { readonly apply: ReadonlyArray<Manifest> }
  | { readonly patch: string; readonly with: object }
  | { readonly scale: string; readonly to: number }
  /** Images by container; `*` is every container. */
  | { readonly setImage: string; readonly images: Readonly<Record<string, string>> }
  | { readonly pause: string }
  | { readonly resume: string }
  /** The revision before, or the one that `toRevision` names. */
  | { readonly undo: string; readonly toRevision?: number }
  | { readonly delete: string }

/**
 * One line, or a predicate in TypeScript. A line is `[SUBJECT] MEASURE OPERATOR VALUE` or `[SUBJECT] is [not] STATE`, with
 * `and` between several: `available >= 8` (of every Deployment), `deployment/web updated = 3`,
 * `deployment/web available >= 80%` (of what is desired), `existing <= desired`, `service/web lost = 0`,
 * `deployment/web is complete`.
 */
export type Condition = string | ((world: StoryWorld) => boolean)

/** What a predicate may look at. */
export interface StoryWorld {
  readonly view: Cluster["Service"]["view"]
  readonly nowMillis: number
  /** Since the story began. */
  readonly sinceMillis: number
  readonly ledger: Ledger
}
