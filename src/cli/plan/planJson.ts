import { jsonText } from "../../kubernetes/meta/text/jsonText.ts"
import { verdictsOf } from "../../plan/verdicts/judgePlan.ts"
import { worstVerdict } from "../../plan/verdicts/verdict.ts"
import type { FailedPredicate, PlannedEnvironment, PlanReport } from "../../reports/plan/planReport.ts"

/** One object; with environments, the figures are in a list of them. */
export const planJson = ({ version, seeds, environments, exitCode }: PlanReport): string => {
  const [only, ...others] = environments
  const figures =
    only !== undefined && others.length === 0 && only.name === undefined
      ? { ...environmentJson(only, seeds), exitCode }
      : {
          verdict: worstVerdict(environments.map(({ judgement }) => judgement.verdict)),
          seeds,
          environments: environments.map((it) => ({ name: it.name, ...environmentJson(it, seeds) })),
          exitCode
        }
  return `${jsonText({ version, ...figures })}\n`
}

const environmentJson = ({ plan, judgement, failed }: PlannedEnvironment, seeds: PlanReport["seeds"]) => ({
  ...verdictsOf(judgement),
  ...plan,
  seeds,
  nodes: plan.room.nodes,
  failed: failed.map(failedPredicateJson)
})

export const failedPredicateJson = ({
  predicate,
  rollout: { kind, namespace, name },
  actual
}: FailedPredicate) => ({
  predicate,
  kind,
  namespace,
  name,
  actual
})
