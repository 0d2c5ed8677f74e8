import { verdictsWorstFirst } from "../verdicts/verdict.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"
import type { RolloutVerdict } from "../verdicts/judgePlan.ts"

type ComparedRollout = Pick<RolloutVerdict, "verdict"> & {
  readonly rollout: Pick<
    RolloutFigures,
    "desired" | "late" | "stuck" | "available" | "requests" | "duration" | "pods"
  >
}

/**
 * If a figure other than the duration is worse, a rollout is only better if it was stuck, now completes, and leaves
 * Pods available. Seeds that never complete are played for hours, so their figures say nothing: unless fewer seeds
 * miss the deadline, there is no improvement.
 */
export const isImprovement = (before: ComparedRollout, after: ComparedRollout): boolean => {
  if (completesStuckRollout(before, after)) return true
  if (after.rollout.stuck > 0 && missedSeeds(after) >= missedSeeds(before)) return false
  const verdictGain = verdictsWorstFirst.indexOf(after.verdict) - verdictsWorstFirst.indexOf(before.verdict)
  const rises = worseWhenHigher.map((amountOf) => significantRise(amountOf(before), amountOf(after)))
  if (verdictGain < 0 || rises.some((rise) => rise > 0)) return false
  return (
    verdictGain > 0 ||
    rises.some((rise) => rise < 0) ||
    significantRise(durationOf(before), durationOf(after)) < 0
  )
}

/** The only Pod of a Deployment may have to go before the new one comes. */
const completesStuckRollout = (before: ComparedRollout, { rollout: after }: ComparedRollout): boolean =>
  before.verdict === "stuck" &&
  after.late + after.stuck === 0 &&
  (after.available === undefined || after.available.fewest > 0 || after.desired === 1)

const missedSeeds = ({ rollout: { late, stuck } }: ComparedRollout): number => late + stuck

const worseWhenHigher: ReadonlyArray<(compared: ComparedRollout) => number> = [
  missedSeeds,
  ({ rollout: { available, desired } }) => (available === undefined ? 0 : desired - available.fewest),
  // The share of lost requests would fall when a rollout takes longer.
  ({ rollout: { requests } }) => requests?.lost ?? 0
]

const durationOf = ({ rollout: { duration } }: ComparedRollout): number => duration?.p50 ?? Infinity

/** Differences up to a tenth are left to chance: Pods of a changed template draw other delays from the same seed. */
const significantRise = (before: number, after: number): number =>
  before === after || Math.abs(after - before) <= Math.max(before, after) / 10 ? 0 : after - before
