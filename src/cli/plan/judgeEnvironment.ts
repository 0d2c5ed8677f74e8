import { findTruePredicates } from "../../plan/predicates.ts"
import { judgePlan, suppressionOf } from "../../plan/verdicts/judgePlan.ts"
import { lostAfterRolloutText } from "../../reports/lostRequests.ts"
import { preciseDurationText } from "../terminal/preciseDurationText.ts"
import { rolloutChanges } from "../../plan/base/rolloutChange.ts"
import { summarizePlan } from "../../plan/summarizePlan.ts"
import type { FailedPredicate, PlannedEnvironment } from "../../reports/plan/planReport.ts"
import type { PlanInput } from "../../plan/seeds/playSeed.ts"
import type { PlanRequest } from "./readPlanRequest.ts"
import type { PlayedSeeds } from "./playSeedsOnAllCores.ts"
import type { TruePredicate } from "../../plan/predicates.ts"

export interface PlayedEnvironment extends PlayedInput {
  readonly name: string | undefined
  /** With `--base`: a restart of the same workloads without the change. */
  readonly before?: PlayedInput | undefined
}

export interface PlayedInput extends PlayedSeeds {
  readonly input: PlanInput
}

export type JudgedEnvironment = PlayedEnvironment &
  PlannedEnvironment & { readonly truePredicates: ReadonlyArray<TruePredicate> }

/**
 * Sums up what was played and gives each rollout its verdict. With `before`, says whether the change makes a verdict
 * worse.
 */
export const judgeEnvironment = (
  { predicates, acceptedUnknowns, reasonsOfAcceptedUnknowns, suppressions, base }: PlanRequest,
  environment: PlayedEnvironment
): JudgedEnvironment => {
  const judgeInput = ({ input, played, whatIf, adviceById }: PlayedInput) => {
    const plan = summarizePlan(input, played, { whatIf, adviceById })
    const truePredicates = findTruePredicates(plan, predicates)
    return {
      plan,
      truePredicates: truePredicates.filter(
        ({ rollout }) => suppressionOf({ rule: "threshold" }, rollout, suppressions) === undefined
      ),
      judgement: judgePlan(plan, {
        predicates,
        truePredicates,
        acceptedUnknowns,
        reasonsOfAcceptedUnknowns,
        suppressions
      })
    }
  }
  const { before } = environment
  const afterChange = judgeInput(environment)
  const judgementBefore = before === undefined ? undefined : judgeInput(before).judgement
  return {
    ...environment,
    ...afterChange,
    // Predicates are the conditions of `--fail-on`: the plan fails if one is true.
    failedPredicates: afterChange.truePredicates.map(toFailedPredicate),
    changes: base === undefined ? undefined : rolloutChanges(afterChange.judgement, judgementBefore)
  }
}

const toFailedPredicate = ({ predicate, rollout, actual, total }: TruePredicate): FailedPredicate => ({
  predicate: predicate.text,
  rollout,
  actual: predicate.measure.startsWith("duration")
    ? durationOrNoEnd(actual)
    : // Only lost requests are infinite: those to Services that reach no new Pod (`unfound`).
      actual === Infinity
      ? lostAfterRolloutText(rollout.requests?.unfound ?? [])
      : `${actual} of ${total}`
})

const durationOrNoEnd = (millis: number): string =>
  millis === Infinity ? "no end" : preciseDurationText(millis)
