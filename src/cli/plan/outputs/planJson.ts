import { jsonText } from "../../../kubernetes/meta/text/jsonText.ts"
import { judgementSummary } from "../../../plan/verdicts/judgePlan.ts"
import { worstVerdict } from "../../../plan/verdicts/verdict.ts"
import { workloadIdOf } from "../../../plan/workloads.ts"
import type { Judgement } from "../../../plan/verdicts/judgePlan.ts"
import type { RolloutPlan } from "../../../plan/summarizePlan.ts"
import type { FailedPredicate, PlannedEnvironment, PlanReport } from "../../../reports/plan/planReport.ts"

export const planJson = ({
  version,
  seeds,
  environments,
  exitCode,
  base,
  refused,
  isStopped = false
}: PlanReport): string => {
  const [onlyEnvironment, ...otherEnvironments] = environments
  const figures =
    onlyEnvironment !== undefined && otherEnvironments.length === 0 && onlyEnvironment.name === undefined
      ? { ...environmentJson(onlyEnvironment, seeds), exitCode }
      : {
          verdict: worstVerdict(environments.map(({ judgement }) => judgement.verdict)),
          seeds,
          environments: environments.map((it) => ({ name: it.name, ...environmentJson(it, seeds) })),
          exitCode
        }
  return `${jsonText({
    // Ctrl-C came before all seeds were played.
    ...(isStopped ? { stopped: true } : {}),
    version,
    ...(base === undefined ? {} : { base: { ref: base.ref, commit: base.commit } }),
    ...figures,
    ...(refused.length === 0 ? {} : { verdict: "stuck", refused: refused.map(refusalJson) })
  })}\n`
}

const refusalJson = ({ place, title: _title, ...refusal }: PlanReport["refused"][number]) => ({
  ...refusal,
  ...place
})

const environmentJson = (
  { plan, judgement, failedPredicates, changes }: PlannedEnvironment,
  seeds: PlanReport["seeds"]
) => ({
  ...judgementSummary(judgement),
  ...plan,
  rollouts: plan.rollouts.map(withoutCounts),
  seeds,
  nodes: plan.room.nodes,
  failed: failedPredicates.map(failedPredicateJson),
  ...(changes === undefined ? {} : { changes: changesJson(judgement, changes) })
})

/** Omits the Pod counts at each moment, which only drawings need; phases keep their counts. */
const withoutCounts = ({ typical: { counts: _counts, ...typical }, ...rollout }: RolloutPlan) => ({
  ...rollout,
  typical
})

const changesJson = ({ rollouts }: Judgement, changes: NonNullable<PlannedEnvironment["changes"]>) =>
  rollouts.flatMap(({ rollout }) => {
    const change = changes.get(workloadIdOf(rollout))
    const { kind, namespace, name } = rollout
    return change === undefined ? [] : [{ kind, namespace, name, ...change }]
  })

/** A threshold of the command or of charthouse.yaml that a rollout does not meet. */
const failedPredicateJson = ({ predicate, rollout: { kind, namespace, name }, actual }: FailedPredicate) => ({
  predicate,
  kind,
  namespace,
  name,
  actual
})
