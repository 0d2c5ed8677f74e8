import { countText } from "../../kubernetes/meta/text/countText.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { verdictsWorstFirst } from "../verdicts/verdict.ts"
import { workloadIdOf } from "../workloads.ts"
import type { Judgement, RolloutVerdict } from "../verdicts/judgePlan.ts"
import type { RolloutPlan } from "../summarizePlan.ts"
import type { VerdictName } from "../verdicts/verdict.ts"
import type { WorkloadId } from "../workloads.ts"

export interface RolloutChange {
  /** `new`: the change adds the workload. */
  readonly change: "worse" | "better" | "same" | "new"
  readonly verdict: VerdictName | undefined
  /** Clauses: `1.2% of requests are lost, instead of none`. */
  readonly differences: ReadonlyArray<string>
}

/** `before`: restarts of the workloads, which Jobs lack; workloads without one are left out. */
export const rolloutChanges = (
  after: Judgement,
  before: Judgement | undefined
): ReadonlyMap<WorkloadId, RolloutChange> => {
  const verdictsBefore = new Map(before?.rollouts.map((judged) => [workloadIdOf(judged.rollout), judged]))
  return new Map(
    after.rollouts.flatMap((judged): ReadonlyArray<readonly [WorkloadId, RolloutChange]> => {
      const id = workloadIdOf(judged.rollout)
      if (judged.rollout.isNew) return [[id, { change: "new", verdict: undefined, differences: [] }]]
      const verdictBefore = verdictsBefore.get(id)
      return verdictBefore === undefined ? [] : [[id, compareVerdicts(verdictBefore, judged)]]
    })
  )
}

const compareVerdicts = (before: RolloutVerdict, after: RolloutVerdict): RolloutChange => {
  const differences = measures.flatMap((measure) => {
    const [amountBefore, amountAfter] = [measure.amountOf(before.rollout), measure.amountOf(after.rollout)]
    if (amountBefore === undefined || amountAfter === undefined) return []
    if (!isSignificant(amountBefore, amountAfter)) return []
    return [{ measure, rise: amountAfter - amountBefore }]
  })
  const verdictLoss = verdictsWorstFirst.indexOf(before.verdict) - verdictsWorstFirst.indexOf(after.verdict)
  const decisive = differences.find(({ measure }) => measure.worsens)
  const loss = verdictLoss === 0 ? (decisive?.rise ?? 0) : verdictLoss
  return {
    change: loss > 0 ? "worse" : loss < 0 ? "better" : "same",
    verdict: before.verdict,
    differences: differences.map(
      ({ measure }) => `${measure.textOf(after.rollout)}, instead of ${measure.shortTextOf(before.rollout)}`
    )
  }
}

interface Measure {
  /** A higher amount is worse; undefined if the plan does not measure it. */
  readonly amountOf: (rollout: RolloutPlan) => number | undefined
  /** Whether a higher amount makes the change worse when the verdict stays the same. */
  readonly worsens: boolean
  readonly textOf: (rollout: RolloutPlan) => string
  readonly shortTextOf: (rollout: RolloutPlan) => string
}

const missedSeeds = ({ late, stuck }: RolloutPlan): number => late + stuck

const lostShare = ({ requests }: RolloutPlan): number | undefined =>
  requests === undefined ? undefined : requests.lost / Math.max(1, requests.requests)

const lostText = (rollout: RolloutPlan): string => {
  const share = lostShare(rollout) ?? 0
  return share === 0 ? "none" : share < 0.001 ? "less than 0.1%" : `${Number((share * 100).toFixed(1))}%`
}

const fewestText = ({ available, desired }: RolloutPlan): string => `${available?.fewest} of ${desired}`

/** Infinity if more than half of the seeds never complete. */
const durationOf = ({ duration, stuck }: RolloutPlan): number | undefined =>
  duration?.p50 ?? (stuck > 0 ? Infinity : undefined)

const durationText = (rollout: RolloutPlan): string => {
  const millis = durationOf(rollout) ?? Infinity
  return millis === Infinity ? "no end" : formatDuration(Math.round(millis / 1000) * 1000)
}

const measures: ReadonlyArray<Measure> = [
  {
    amountOf: missedSeeds,
    worsens: true,
    textOf: (rollout) => `late or stuck with ${countText(missedSeeds(rollout), "seed")}`,
    shortTextOf: (rollout) => `${missedSeeds(rollout)}`
  },
  {
    amountOf: ({ available, desired }) =>
      available === undefined || desired === 0 ? undefined : 1 - available.fewest / desired,
    worsens: true,
    textOf: (rollout) => `${fewestText(rollout)} available at the fewest`,
    shortTextOf: fewestText
  },
  {
    amountOf: lostShare,
    worsens: true,
    textOf: (rollout) =>
      lostShare(rollout) === 0 ? "no requests are lost" : `${lostText(rollout)} of requests are lost`,
    shortTextOf: lostText
  },
  {
    // A change may make a rollout safer and longer.
    amountOf: durationOf,
    worsens: false,
    textOf: (rollout) => {
      if (rollout.duration === undefined) return "it never completes"
      const verb = durationOf(rollout) === Infinity ? "has" : "takes"
      return `it ${verb} ${durationText(rollout)} half the time`
    },
    shortTextOf: durationText
  }
]

/** Differences up to a tenth are left to chance: Pods of another template draw other delays from the same seed. */
const isSignificant = (before: number, after: number): boolean =>
  10 * Math.min(before, after) < 9 * Math.max(before, after)
