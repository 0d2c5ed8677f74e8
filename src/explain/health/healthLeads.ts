import { countText } from "../../kubernetes/meta/text/countText.ts"

/**
 * `down`: no Pod serves. `degraded`: fewer Pods are available than the strategy allows. A first start of Pods without
 * trouble is `ok`, and so is what does not serve, such as a Job.
 */
export type Health = "down" | "degraded" | "ok"

/**
 * `failed`: a Job that is over, or the latest of a CronJob. `blocked`: nothing moves by itself. `limited`: an
 * autoscaler whose limits keep it from the size that it computes. `running`: a Job that is not over. `complete`: the
 * template is rolled out, or a Job has succeeded. `steady`: an autoscaler or a CronJob with nothing to report. `idle`:
 * no rollout is under way: nothing is wanted, or the present template was rolled out before. The health tells whether
 * Pods are missing.
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
export const healthLeads: ReadonlyArray<HealthLead> = [
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

export const toHealth = (
  health: Health,
  progress: Progress,
  causes: ReadonlyArray<string>
): WorkloadHealth => ({
  health,
  progress,
  lead: health === "down" || (health === "degraded" && progress !== "blocked") ? health : progress,
  cause: causeText(causes)
})

/** At most two causes; the others are counted. */
const causeText = ([first, second, ...others]: ReadonlyArray<string>): string | undefined => {
  const more = others.length === 0 ? "" : `; and ${countText(others.length, "more cause")}`
  return second === undefined ? first : `${first}; ${second}${more}`
}
