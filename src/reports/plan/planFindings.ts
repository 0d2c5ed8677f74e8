import { failsPlan, workloadTitle } from "./planReport.ts"
import { fieldOfRule, fieldOfThreshold } from "./fieldOfRule.ts"
import type { FieldPlace, PlannedEnvironment, PlanReport } from "./planReport.ts"
import type { Reason, RuleName } from "../../plan/verdicts/verdict.ts"
import type { RolloutVerdict } from "../../plan/verdicts/judgePlan.ts"
import type { RolloutPlan } from "../../plan/summarizePlan.ts"

export interface PlanFinding {
  readonly rule: RuleName
  readonly level: FindingLevel
  readonly text: string
  readonly rollout: RolloutPlan
  readonly environment: string | undefined
  readonly place: FieldPlace | undefined
  /** The reason in `charthouse.yaml`; undefined if the finding counts. */
  readonly suppressedBecause: string | undefined
}

/** An `error` makes the exit code 1. */
export type FindingLevel = "error" | "warning"

/** The worst workloads and the most important reasons first. */
export const planFindings = (report: PlanReport): ReadonlyArray<PlanFinding> =>
  report.environments.flatMap((environment) => [
    ...environment.judgement.rollouts.flatMap((judged) => findingsOf(judged, environment, report)),
    ...environment.judgement.suppressedReasons.map(({ rollout, reason, because }) =>
      findingOf(reason, { rollout, environment, report, level: "warning", because })
    )
  ])

const findingsOf = (
  judged: RolloutVerdict,
  environment: PlannedEnvironment,
  report: PlanReport
): ReadonlyArray<PlanFinding> => {
  const level = failsPlan(judged, environment, report.isStrict) ? "error" : "warning"
  const { rollout, reasons } = judged
  return [
    ...reasons
      .filter(({ rule }) => rule !== "threshold")
      .map((reason) => {
        return findingOf(reason, { rollout, environment, report, level })
      }),
    ...environment.failedPredicates
      .filter((condition) => condition.rollout === rollout)
      .map(({ predicate, actual }): PlanFinding => ({
        rule: "threshold",
        level: "error",
        text: `${predicate} is true: it comes to ${actual}`,
        rollout,
        environment: environment.name,
        place: report.placeOf(rollout, fieldOfThreshold(predicate, rollout)),
        suppressedBecause: undefined
      }))
  ]
}

const findingOf = (
  { rule, text, field }: Reason,
  {
    rollout,
    environment,
    report,
    level,
    because
  }: {
    readonly rollout: RolloutPlan
    readonly environment: PlannedEnvironment
    readonly report: PlanReport
    readonly level: FindingLevel
    readonly because?: string
  }
): PlanFinding => ({
  rule,
  level,
  text,
  rollout,
  environment: environment.name,
  place: report.placeOf(rollout, field ?? fieldOfRule(rule, rollout)),
  suppressedBecause: because
})

/** `Deployment/web in production` */
export const findingSubject = ({ rollout, environment }: PlanFinding): string =>
  environment === undefined ? workloadTitle(rollout) : `${workloadTitle(rollout)} in ${environment}`
