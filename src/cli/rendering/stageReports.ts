import { countText } from "../../kubernetes/meta/text/countText.ts"
import { preciseDurationText } from "../terminal/preciseDurationText.ts"
import { kindAndNameOf } from "../terminal/eventLines.ts"
import type { Palette } from "../terminal/palette.ts"
import type { WorkloadOutcome, AppliedWorkload } from "./workloadOutcome.ts"
import type { RolloutCosts } from "./costTracker.ts"

export interface RolloutReport extends AppliedWorkload, RolloutCosts {
  readonly outcome: Exclude<WorkloadOutcome["outcome"], "waiting"> | "unfinished"
  /** Why the rollout has this outcome, where possible in the words of `kubectl rollout status`. */
  readonly message: string
  readonly replicas: number
}

export interface StageReport {
  readonly title: string
  readonly millis: number
  readonly rollouts: ReadonlyArray<RolloutReport>
  readonly nodeTroubles: ReadonlyArray<string>
}

export const stageReportLines = (stage: StageReport, palette: Palette): ReadonlyArray<string> => [
  palette.strong(stage.title),
  ...stage.rollouts.flatMap((rollout) => rolloutLines(rollout, palette)),
  ...stage.nodeTroubles.map((trouble) => `  ${palette.bad("!")} ${trouble}`),
  ...(stage.rollouts.length === 0 ? ["  nothing to wait for"] : [])
]

const rolloutLines = (rollout: RolloutReport, palette: Palette): ReadonlyArray<string> => [
  `  ${kindAndNameOf(rollout)} ${outcomeText(rollout, palette)}: ${costText(rollout)}`,
  ...(rollout.outcome === "complete" ? [] : [rollout.message]).map((why) => `    ${palette.bad("!")} ${why}`),
  ...rollout.troubles.map((trouble) => `    ${palette.bad("!")} ${trouble}`)
]

const outcomeText = ({ outcome, millis }: RolloutReport, palette: Palette): string => {
  const span = millis === undefined ? "" : preciseDurationText(millis)
  switch (outcome) {
    case "complete":
      return palette.good(`complete in ${span}`)
    case "failed":
      return palette.bad(`failed after ${span}`)
    case "superseded":
      return palette.wait(`superseded after ${span}`)
    case "paused":
    case "delegated":
    case "deleted":
    case "unfinished":
      return palette.wait(outcome)
  }
}

/** `fewest available 4 of 5, most Pods 7 (9 with those terminating), 2 restarts` */
const costText = (rollout: RolloutReport): string => {
  const { availableFewest, replicas, podsMost, podsMostWithTerminating, restarts } = rollout
  const terminating =
    podsMostWithTerminating > podsMost ? ` (${podsMostWithTerminating} with those terminating)` : ""
  return [
    ...(availableFewest === undefined ? [] : [`fewest available ${availableFewest} of ${replicas}`]),
    `most Pods ${podsMost}${terminating}`,
    ...(restarts === 0 ? [] : [countText(restarts, "restart")])
  ].join(", ")
}

/** 1 if a rollout failed in any stage, or was incomplete in the last stage that applied it. */
export const exitCodeOf = (stages: ReadonlyArray<StageReport>): 0 | 1 => {
  const lastOutcomes = new Map<string, RolloutReport["outcome"]>()
  for (const { rollouts } of stages) for (const { uid, outcome } of rollouts) lastOutcomes.set(uid, outcome)
  const hasFailed = stages.some(({ rollouts }) => rollouts.some(({ outcome }) => outcome === "failed"))
  // A pause between two stages is not a failure, a pause at the end is.
  return hasFailed || [...lastOutcomes.values()].some((outcome) => outcome !== "complete") ? 1 : 0
}
