import { countText } from "../../kubernetes/meta/text/countText.ts"

/**
 * `down`: no Pod serves. `degraded`: fewer Pods are available than the strategy allows. Jobs, and workloads whose first
 * Pods start without trouble, are `ok`.
 */
export type Health = "down" | "degraded" | "ok"

/**
 * `failed`: a Job, or the latest of a CronJob. `blocked`: nothing moves by itself. `limited`: limits keep an autoscaler
 * from its computed size. `steady`: an autoscaler or CronJob with nothing to report. `idle`: nothing is wanted, or the
 * present template is already rolled out.
 */
export type Progress =
  | "failed"
  | "blocked"
  | "limited"
  | "rolling out"
  | "running"
  | "paused"
  | "suspended"
  | "complete"
  | "steady"
  | "idle"

/** The worse of health and progress. A workload that has `failed` is never degraded. */
export type HealthLead = Exclude<Health, "ok"> | Progress

/** The worst first. */
export const healthsWorstFirst: ReadonlyArray<HealthLead> = [
  "down",
  "failed",
  "blocked",
  "degraded",
  "limited",
  "paused",
  "rolling out",
  "running",
  "suspended",
  "complete",
  "steady",
  "idle"
]

export interface WorkloadHealth {
  readonly health: Health
  readonly progress: Progress
  readonly lead: HealthLead
  /** One line without a period, the root cause first; undefined when nothing is wrong. */
  readonly cause: string | undefined
}

export const toWorkloadHealth = (
  health: Health,
  progress: Progress,
  causes: ReadonlyArray<string>
): WorkloadHealth => ({
  health,
  progress,
  lead: health === "down" || (health === "degraded" && progress !== "blocked") ? health : progress,
  cause: causeText(causes)
})

const causeText = ([rootCause, nextCause, ...otherCauses]: ReadonlyArray<string>): string | undefined => {
  const more = otherCauses.length === 0 ? "" : `; and ${countText(otherCauses.length, "more cause")}`
  return nextCause === undefined ? rootCause : `${rootCause}; ${nextCause}${more}`
}
