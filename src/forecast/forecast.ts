import type { ChangeRequest } from "../kubernetes/meta/changeRequest.ts"

/** What will happen to a workload if nothing else is done, and what some changes would do. */
export interface Forecast {
  /** The present instant, from which the futures were played. */
  readonly nowMillis: number
  readonly workload: ForecastWorkload
  /** What happens if nothing else is done, with the cluster's own seed. */
  readonly future: Future
  /** How this varies with other seeds; undefined if none was played. */
  readonly band: SeedBand | undefined
  readonly cures: ReadonlyArray<CureOutcome>
  /** What the change of `ForecastSettings` would do; undefined without one. */
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
  /** The changes of objects in all futures so far. */
  readonly changesPlayed: number
  /** Seeds and cures that were not played, because `changesMax` was reached. */
  readonly seedsLeftOut: number
  readonly curesLeftOut: number
}

export type FutureOutcome = "complete" | "failed" | "unfinished" | "deleted"

/** One future of a workload, played in a copy of the cluster. */
export interface Future {
  readonly outcome: FutureOutcome
  /** The message of `kubectl rollout status` at the end. */
  readonly message: string
  /** When the outcome was reached; undefined if it is unfinished. */
  readonly outcomeMillis: number | undefined
  readonly endMillis: number
  /** `settled`: nothing more happens by itself. `horizon`, `changesMax`: the limit at which playing it ended. */
  readonly ended: "settled" | "horizon" | "changesMax"
  /** Oldest first. */
  readonly milestones: ReadonlyArray<Milestone>
  /** The counts at the start and whenever one of them changes. */
  readonly counts: ReadonlyArray<FutureCounts>
  /** The fewest available Pods at any time. */
  readonly availableMin: number
  /** How many changes of objects it took. */
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
 * `newPodsAvailable`: all of them. `deadlineMissed` is of Deployments, `succeeded` and `failed` of Jobs. `floorLost`,
 * `floorRegained`: fewer Pods are available than the strategy allows, and again enough. `evicted`: Pods are deleted
 * from a node that is lost.
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
  /** For `failed`: the message of the Job's condition. */
  readonly text?: string
}

/** How the futures of several seeds, the cluster's own among them, lie apart. */
export interface SeedBand {
  /** The number of futures: the cluster's own and one for each other seed. */
  readonly futures: number
  readonly milestones: ReadonlyArray<MilestoneBand>
  readonly available: ReadonlyArray<AvailableBand>
  /** How many futures have each outcome. */
  readonly outcomes: Readonly<Partial<Record<FutureOutcome, number>>>
}

export interface MilestoneBand {
  readonly kind: MilestoneKind
  readonly node?: string
  readonly earliestMillis: number
  readonly latestMillis: number
  /** In how many of the futures the milestone comes. */
  readonly futures: number
}

/** The fewest and the most available Pods from an instant until the next entry. */
export interface AvailableBand {
  readonly millis: number
  readonly min: number
  readonly max: number
}

/** A change that may help, as a request to the API, or two. */
export interface Cure {
  readonly id: string
  readonly title: string
  /** The shell command that does the same, if there is one. */
  readonly command?: string
  /** Left out where a person has to fill something in, such as the image. */
  readonly request?: ChangeRequest
  /** Sent once that one was accepted, such as the deletion of a stuck Pod, which keeps its old template. */
  readonly followUp?: ChangeRequest
}

/** `refused`: the server's message if the cluster does not accept the change. */
export type ChangeOutcome = { readonly future: Future } | { readonly refused: string }

export type CureOutcome = { readonly cure: Cure } & ChangeOutcome
