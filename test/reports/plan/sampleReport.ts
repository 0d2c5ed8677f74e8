import { judgePlan } from "../../../src/plan/verdicts/judgePlan.ts"
import { samplePlan, sampleRollout } from "../samplePlan.ts"
import type { Judgement, JudgeOptions } from "../../../src/plan/verdicts/judgePlan.ts"
import type { PlanReport } from "../../../src/reports/plan/planReport.ts"
import type { RolloutPlan } from "../../../src/plan/summarizePlan.ts"

/** A rollout that loses nothing, is never late, and has nothing to advise. */
export const shippingRollout: RolloutPlan = {
  ...sampleRollout,
  name: "blog",
  late: 0,
  reasons: [],
  advice: [],
  together: undefined,
  remarks: [],
  requests: undefined,
  available: { fewest: 4, fewestMillis: 0, shortMillis: 0, seed: 1 }
}

const placesByField: Readonly<Record<string, number>> = { spec: 6, strategy: 9, progressDeadlineSeconds: 8 }

/** The report of a plan without warnings and violations, whose workloads are in one file. */
export const reportOf = (
  rollouts: ReadonlyArray<RolloutPlan>,
  {
    environments = [undefined],
    changes = {},
    options = {}
  }: {
    readonly environments?: ReadonlyArray<string | undefined>
    readonly changes?: Partial<PlanReport>
    readonly options?: Partial<JudgeOptions>
  } = {}
): PlanReport => {
  const plan = { ...samplePlan, rollouts, violations: [], warnings: [] }
  const judgement: Judgement = judgePlan(plan, {
    predicates: [],
    truePredicates: [],
    acceptedUnknowns: [],
    ...options
  })
  return {
    version: "1.2.3",
    seeds: { first: 1, last: 30, count: 30 },
    environments: environments.map((name) => ({ name, plan, judgement, failedPredicates: [] })),
    isStrict: false,
    refused: [],
    exitCode: judgement.verdict === "stuck" ? 1 : 0,
    placeOf: (_workload, path) => ({
      file: "deploy/shop & co.yaml",
      line: placesByField[String(path.at(-1))] ?? 2,
      column: 3
    }),
    ...changes
  }
}
