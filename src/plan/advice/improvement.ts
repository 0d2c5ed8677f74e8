import { verdictNames } from "../verdicts/verdict.ts"
import type { RolloutFigures } from "../rolloutFigures.ts"
import type { RolloutVerdict } from "../verdicts/judgePlan.ts"

type Compared = Pick<RolloutVerdict, "verdict"> & {
  readonly rollout: Pick<
    RolloutFigures,
    "desired" | "late" | "stuck" | "available" | "requests" | "duration" | "pods"
  >
}

/**
 * Whether a rollout with the same seeds is better: by its verdict, the seeds that miss the deadline, the fewest
 * available Pods, the lost requests or its duration. It is not if one of these but the duration is worse.
 */
export const isBetter = (before: Compared, after: Compared): boolean => {
  const rank = verdictNames.indexOf(after.verdict) - verdictNames.indexOf(before.verdict)
  const rises = measures.map((amountOf) => significantRise(amountOf(before), amountOf(after)))
  if (rank < 0 || rises.some((rise) => rise > 0)) return false
  return (
    rank > 0 ||
    rises.some((rise) => rise < 0) ||
    // The price of a shorter one is more Pods, which a plan has room for.
    significantRise(durationOf(before), durationOf(after)) < 0
  )
}

/** The higher, the worse. */
const measures: ReadonlyArray<(compared: Compared) => number> = [
  ({ rollout: { late, stuck } }) => late + stuck,
  ({ rollout: { available, desired } }) => (available === undefined ? 0 : desired - available.fewest),
  // A share would fall with the length of the rollout.
  ({ rollout: { requests } }) => requests?.lost ?? 0
]

const durationOf = ({ rollout: { duration } }: Compared): number => duration?.p50 ?? Infinity

/** A changed template draws other delays: a tenth is left to chance. */
const significantRise = (before: number, after: number): number =>
  before === after || Math.abs(after - before) <= Math.max(before, after) / 10 ? 0 : after - before
