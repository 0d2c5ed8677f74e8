import type { ChangeRequest } from "../kubernetes/meta/changeRequest.ts"

/** All times are Unix milliseconds by the cluster's clock. */
export interface Forecast {
  readonly nowMillis: number
  readonly workload: ForecastWorkload
  /** What happens with the cluster's own seed if nothing else is done. */
  readonly future: Future
  /** Undefined if no other seed was played. */
  readonly band: SeedBand | undefined
  readonly cures: ReadonlyArray<CureOutcome>
  /** What the change of `ForecastSettings` would do. */
  readonly change: ChangeOutcome | undefined
  readonly limits: ForecastLimits
}

export interface ForecastWorkload {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

export interface ForecastLimits {
  /** How long after now a future is played at most. */
  readonly horizonMillis: number
  /** The most changes of objects in all futures together. */
  readonly changesMax: number
  readonly changesPlayed: number
  /** Seeds and cures that were not played, because `changesMax` was reached. */
  readonly seedsLeftOut: number
  readonly curesLeftOut: number
}

export type FutureOutcome = "complete" | "failed" | "unfinished" | "deleted"

export interface Future {
  readonly outcome: FutureOutcome
  /** The message of `kubectl rollout status` at the end. */
  readonly message: string
  /** Undefined if the future is unfinished. */
  readonly outcomeMillis: number | undefined
  readonly endMillis: number
  readonly ended: "settled" | "horizon" | "changesMax"
  /** Oldest first. */
  readonly milestones: ReadonlyArray<Milestone>
  /** The counts at the start and whenever one of them changes. */
  readonly counts: ReadonlyArray<FutureCounts>
  readonly availableMin: number
  /** The number of changes of objects. */
  readonly changes: number
}

export interface FutureCounts {
  readonly millis: number
  readonly desired: number
  readonly updated: number
  readonly available: number
  /** Available Pods of the newest revision. */
  readonly updatedAvailable: number
}

/**
 * `floorLost`: fewer Pods are available than the strategy allows. `evicted`: Pods are deleted from a node that is
 * lost.
 */
export type MilestoneKind =
  | "newPodsAvailable"
  | "complete"
  | "deadlineMissed"
  | "succeeded"
  | "failed"
  | "floorLost"
  | "floorRegained"
  | "nodeLost"
  | "nodeReady"
  | "evicted"
  | "scaled"
  | "deleted"

export interface Milestone {
  readonly kind: MilestoneKind
  readonly millis: number
  /** The node of `nodeLost`, `nodeReady` and `evicted`. */
  readonly node?: string
  /** A number of Pods; for `scaled`, of desired ones. */
  readonly count?: number
  /** For `failed`: the message of the Job's condition. For `deadlineMissed` of a steered rollout: what follows. */
  readonly text?: string
}

/** Compares the futures of several seeds. */
export interface SeedBand {
  /** The number of futures, including that of the cluster's own seed. */
  readonly futures: number
  readonly milestones: ReadonlyArray<MilestoneBand>
  readonly available: ReadonlyArray<AvailableBand>
  readonly outcomes: Readonly<Partial<Record<FutureOutcome, number>>>
}

export interface MilestoneBand {
  readonly kind: MilestoneKind
  readonly node?: string
  readonly earliestMillis: number
  readonly latestMillis: number
  /** In how many futures the milestone comes. */
  readonly futures: number
}

/** The counts hold from `millis` until the next entry. */
export interface AvailableBand {
  readonly millis: number
  readonly min: number
  readonly max: number
}

export interface Cure {
  readonly id: string
  readonly title: string
  readonly command?: string
  /** Omitted where a person has to fill something in, such as the image. */
  readonly request?: ChangeRequest
  /** The request that follows an accepted `request`, such as the deletion of a stuck Pod. */
  readonly followUp?: ChangeRequest
}

/** `refused` is the server's message. */
export type ChangeOutcome = { readonly future: Future } | { readonly refused: string }

export type CureOutcome = { readonly cure: Cure } & ChangeOutcome
