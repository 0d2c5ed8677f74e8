import { approvalGate } from "./steeringNames.ts"
import { formatDuration } from "../meta/amounts/durations.ts"
import { isGatedTemplate } from "./gatedPods.ts"
import type { CanarySettings, CanaryStep } from "./steeringSettings.ts"
import type { Deployment } from "../meta/objects.ts"
import type { DocumentPath } from "../meta/text/fieldPath.ts"

/** Why a strategy cannot be meant for a Deployment, at a path of its settings. */
export interface SteeringProblem {
  readonly message: string
  readonly path?: DocumentPath
}

/** What every chart that approves Pods needs of its Deployment. */
export const gateProblems = ({ spec }: Deployment): ReadonlyArray<SteeringProblem> => {
  const { strategy, template } = spec
  if (strategy.type === "Recreate")
    return [
      { message: "spec.strategy.type must be RollingUpdate: Recreate leaves no old Pod while new ones wait" }
    ]
  const unavailable = strategy.rollingUpdate?.maxUnavailable ?? 0
  return [
    ...(Number.parseInt(String(unavailable), 10) === 0
      ? []
      : [
          {
            message:
              `spec.strategy.rollingUpdate.maxUnavailable must be 0 and is ${unavailable}: ` +
              "old Pods would go while new ones wait for their approval"
          }
        ]),
    ...(isGatedTemplate(template)
      ? []
      : [
          {
            message:
              "spec.template.spec has no readiness gate to approve. Add " +
              `"readinessGates: [{ conditionType: ${approvalGate} }]"; automaticRollback needs none`
          }
        ])
  ]
}

export const canaryProblems = (
  { steps }: CanarySettings,
  deployment: Deployment
): ReadonlyArray<SteeringProblem> => [
  ...gateProblems(deployment),
  ...steps.flatMap((step, index) => stepProblem(steps.slice(0, index), step, deployment) ?? [])
]

const stepProblem = (
  before: ReadonlyArray<CanaryStep>,
  step: CanaryStep,
  { spec }: Deployment
): SteeringProblem | undefined => {
  const path = ["steps", before.length]
  if (!("approve" in step)) {
    const deadlineMillis = (spec.progressDeadlineSeconds ?? Infinity) * 1000
    return (step.holdMillis ?? 0) < deadlineMillis
      ? undefined
      : {
          path,
          message:
            `a hold of ${formatDuration(step.holdMillis ?? 0)} must be shorter than progressDeadlineSeconds ` +
            `(${spec.progressDeadlineSeconds ?? 0}): kubectl rollout status would report a failure`
        }
  }
  // A percentage and a count compare differently at every size: the larger one holds.
  const isPercent = typeof step.approve === "string"
  const larger = before.findLast(
    (it) =>
      "approve" in it &&
      (typeof it.approve === "string") === isPercent &&
      amountOf(it.approve) > amountOf(step.approve)
  )
  return larger === undefined || !("approve" in larger)
    ? undefined
    : {
        path,
        message: `approve: ${step.approve} must not be less than an earlier step's ${larger.approve}: approvals stay`
      }
}

const amountOf = (approve: number | string): number => Number.parseInt(String(approve), 10)
