import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { DocumentPath } from "../../kubernetes/meta/text/fieldPath.ts"
import type { Judgement, RolloutVerdict } from "../../plan/verdicts/judgePlan.ts"
import type { Plan, RolloutPlan } from "../../plan/summarizePlan.ts"
import type { RolloutChange } from "../../plan/base/rolloutChange.ts"
import type { WorkloadId } from "../../plan/workloads.ts"
import type { VerdictName } from "../../plan/verdicts/verdict.ts"

/** All reports of a plan are made from it. */
export interface PlanReport {
  readonly version: string
  readonly seeds: { readonly first: number; readonly last: number; readonly count: number }
  /** Whether the plan was stopped before all seeds were played. */
  readonly isStopped?: boolean
  /** At least one. A plan without named environments has a single one, without a name. */
  readonly environments: ReadonlyArray<PlannedEnvironment>
  readonly refused: ReadonlyArray<ReportedRefusal>
  /** The git revision to compare with. */
  readonly base?: { readonly ref: string; readonly commit: string } | undefined
  /** Whether the exit code is 1 for a risky rollout, too. */
  readonly isStrict: boolean
  readonly exitCode: number
  /** The place of a field in the manifests; for a missing field, that of the closest one above it. */
  readonly placeOf: (workload: ReportedWorkload, path: DocumentPath) => FieldPlace | undefined
}

/** The plan for an environment, which has no name if `charthouse.yaml` has no environments. */
export interface PlannedEnvironment {
  readonly name: string | undefined
  readonly plan: Plan
  readonly judgement: Judgement
  readonly failedPredicates: ReadonlyArray<FailedPredicate>
  /** The rollouts compared with those of the base revision. */
  readonly changes?: ReadonlyMap<WorkloadId, RolloutChange> | undefined
}

/** A condition of `--fail-on`, or of a threshold in `charthouse.yaml`, that is true: the plan fails by it. */
export interface FailedPredicate {
  readonly predicate: string
  readonly rollout: RolloutPlan
  /** The measured value: `2 of 4`. */
  readonly actual: string
}

export interface ReportedRefusal {
  readonly verdict: "refused" | "stuck"
  /** `Service/shop/web`, or `document 2 of web.yaml` if that says no kind or name. */
  readonly title: string
  readonly kind: string | undefined
  /** Undefined for a cluster-scoped object. */
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly message: string
  readonly place: FieldPlace | undefined
}

export type ReportedWorkload = Pick<RolloutPlan, "kind" | "namespace" | "name">

export interface FieldPlace {
  /** Relative to the top of the repository, or a URL. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** For `placeOf`: the place of the object itself. */
export const noFieldPath: DocumentPath = []

export const workloadTitle = (workload: ReportedWorkload): string => objectTitle(workload)

export const objectTitle = (object: {
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string
}): string => `${object.kind}/${displayName(object)}`

/** `worse than on main (ships): 1.2% of requests are lost, instead of none` */
export const changeText = ({ change, verdict, differences }: RolloutChange, ref: string): string => {
  const clauses = differences.length === 0 ? "" : `: ${differences.join(", ")}`
  switch (change) {
    case "new":
      return `not in ${ref}`
    case "same":
      return `neither better nor worse than in ${ref} (${verdict})${clauses}`
    default:
      return `${change} than in ${ref} (${verdict})${clauses}`
  }
}

export const noChangeText = (ref: string): string => `No workload changes since ${ref}.`

export const verdictMarks: Readonly<Record<VerdictName, string>> = {
  ships: "✓",
  risky: "!",
  stuck: "✗",
  unknown: "?"
}

export const failsPlan = (
  { verdict, rollout }: RolloutVerdict,
  { failedPredicates }: Pick<PlannedEnvironment, "failedPredicates">,
  isStrict: boolean
): boolean =>
  verdict === "stuck" ||
  verdict === "unknown" ||
  (isStrict && verdict === "risky") ||
  failedPredicates.some((condition) => condition.rollout === rollout)
