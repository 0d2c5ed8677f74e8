import { roundedDuration } from "./planFigures.ts"
import { withThousandsSeparators } from "./lostRequests.ts"
import type {
  RolloutAdvice,
  PlayedAdvice,
  AdvisedChange,
  VariantFigures
} from "../plan/advice/rolloutAdvice.ts"

/** `with it, from the next rollout on: lost 117 → 0 of 9,500, complete within 1m35s → 2m10s` */
export const adviceOutcomeText = (advice: PlayedAdvice): string =>
  `${advice.needsOthers ? "with it and the above" : "with it"}${fromNextRolloutText(advice)}: ${outcomeText(advice)}`

/** Undefined if the last piece of advice needs all others: its text tells the same outcome. */
export const allAdviceOutcomeText = ({ advice, together }: RolloutAdvice): string | undefined =>
  together === undefined || advice.at(-1)?.needsOthers === true
    ? undefined
    : `with all ${advice.length}${fromNextRolloutText(together)}: ${outcomeText(together)}`

const fromNextRolloutText = ({ fromNextRollout }: AdvisedChange): string =>
  fromNextRollout ? ", from the next rollout on" : ""

const outcomeText = (change: AdvisedChange): string =>
  comparedFigures(change)
    .map(({ title, before, after, total }) => {
      const values = before === after ? after : `${before} → ${after}`
      return `${title} ${values}${total === undefined ? "" : ` of ${total}`}`
    })
    .join(", ")

/** `the advice was played with seeds 1, 6, 8` */
export const advisedSeedsText = (
  rollout: RolloutAdvice,
  rollouts: ReadonlyArray<RolloutAdvice>
): string | undefined => {
  const [firstPiece] = rollout.advice
  return firstPiece === undefined ? undefined : `the advice was ${seedsPlayedText(firstPiece, rollouts)}`
}

/** `played with seeds 1, 6, 8`, and whether with the advice for other workloads. */
export const seedsPlayedText = (
  { with: { seeds } }: AdvisedChange,
  rollouts: ReadonlyArray<RolloutAdvice>
): string => {
  const isBesideOthers = rollouts.filter(({ advice }) => advice.length > 0).length > 1
  return (
    `played with ${seeds.length === 1 ? "seed" : "seeds"} ${seeds.join(", ")}` +
    (isBesideOthers ? ", at once with the advice for other workloads" : "")
  )
}

export const changeOfAllAdvice = ({ advice, together }: RolloutAdvice): AdvisedChange | undefined =>
  together ?? advice[0]

/** `in full from the next rollout on`, where the change does not help at once. */
export const changeDelayText = (rollout: RolloutAdvice): string | undefined => {
  if (changeOfAllAdvice(rollout)?.fromNextRollout !== true) return undefined
  const inFull = rollout.advice.some((piece) => !piece.fromNextRollout) ? "in full " : ""
  return `${inFull}from the next rollout on`
}

/** `total`: `9,500` in `lost 117 → 0 of 9,500`. */
interface ComparedFigure {
  readonly title: string
  readonly before: string
  readonly after: string
  readonly total?: string
  readonly totalBefore?: string
}

export const comparedFigures = ({
  with: after,
  without: before
}: AdvisedChange): ReadonlyArray<ComparedFigure> => {
  const missed = ({ late, stuck }: VariantFigures): number => late + stuck
  return [
    ...(missed(before) + missed(after) === 0
      ? []
      : [
          {
            title: "late or stuck",
            before: `${missed(before)}`,
            after: `${missed(after)}`,
            total: after.seeds.length === 1 ? "1 seed" : `${after.seeds.length} seeds`
          }
        ]),
    ...(before.requests === undefined || after.requests === undefined
      ? []
      : [
          {
            title: "lost",
            before: withThousandsSeparators(before.requests.lost),
            after: withThousandsSeparators(after.requests.lost),
            total: withThousandsSeparators(after.requests.requests),
            totalBefore: withThousandsSeparators(before.requests.requests)
          }
        ]),
    ...(before.available === undefined || after.available === undefined
      ? []
      : [
          {
            title: "fewest available",
            before: `${before.available.fewest}`,
            after: `${after.available.fewest}`,
            total: `${after.desired}`
          }
        ]),
    completionFigure(before, after)
  ]
}

/** `complete never → within 12s`. */
const completionFigure = (before: VariantFigures, after: VariantFigures): ComparedFigure => {
  const [slowestBefore, slowestAfter] = [slowestMillis(before), slowestMillis(after)]
  const isAlways = slowestBefore < Infinity && slowestAfter < Infinity
  const valueOf = (millis: number): string =>
    isAlways || millis === Infinity ? roundedDuration(millis) : `within ${roundedDuration(millis)}`
  return {
    title: isAlways ? "complete within" : "complete",
    before: valueOf(slowestBefore),
    after: valueOf(slowestAfter)
  }
}

/** The time of the slowest seed; Infinity if a seed never completes. */
export const slowestMillis = ({ duration }: VariantFigures): number => duration?.worst ?? Infinity
