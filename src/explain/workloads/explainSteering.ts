import { abortAnnotation, steeredCondition } from "../../kubernetes/steering/steeringNames.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { currentRecord } from "../../kubernetes/steering/steeringObservation.ts"
import {
  failureBudgetTexts,
  checkFailureTexts,
  hasSteps,
  stepPlanText,
  stepSummary
} from "../../kubernetes/steering/stepPlan.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { millisUntilStalled } from "../../kubernetes/steering/stepProgress.ts"
import { whyNotUndone } from "../../kubernetes/steering/steeringActions.ts"
import { findNewReplicaSet } from "../../kubernetes/apps/revisions/findNewReplicaSet.ts"
import { gateWithoutStrategyText, hasApprovalGate } from "../../kubernetes/steering/podApproval.ts"
import { hasProgressDeadline } from "../../kubernetes/apps/progress.ts"
import {
  annotateArgument,
  isSteeringInProgress,
  steeringRequests
} from "../../kubernetes/steering/steeringRequests.ts"
import { isSteered } from "../../kubernetes/steering/steeringRecord.ts"
import { kubectlTarget } from "../../kubernetes/meta/text/kubectlTarget.ts"
import { stepIndex } from "../../kubernetes/steering/rolloutSteps.ts"
import { isPodActive } from "../../kubernetes/pods/podState.ts"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { FailureSettings } from "../../kubernetes/steering/steeringSettings.ts"
import type { ExplainRolloutInput } from "../objects/explainRolloutInput.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"
import type { SteeringObservation } from "../../kubernetes/steering/steeringObservation.ts"

export const explainSteering = ({ metadata, spec, status }: Deployment): StateExplanation => {
  const condition = conditionOf(status.conditions, steeredCondition)
  const { updatedReplicas: updated = 0, availableReplicas: available = 0 } = status
  const numbers = { desired: spec.replicas, updated, available }
  const name = JSON.stringify(metadata.name)
  if (condition === undefined)
    return {
      state: "unseen",
      isWell: false,
      sentences: [`The steering controller has not reported anything about Deployment ${name} yet.`],
      numbers
    }
  return {
    state: condition.reason ?? "",
    isWell: condition.status === "True",
    sentences: [withPeriod(condition.message ?? "").replace(/^revision/u, "Revision")],
    numbers
  }
}

type SteeredRollout = Pick<
  ExplainRolloutInput,
  "deployment" | "replicaSets" | "pods" | "nowMillis" | "steering" | "gitManagers"
>

/** Empty if the Deployment is not steered, and needs no steering. */
export const steeringSentences = (rollout: SteeredRollout): ReadonlyArray<string> => {
  const condition = conditionOf(rollout.deployment.status.conditions, steeredCondition)
  if (condition === undefined) {
    const { spec } = rollout.deployment
    return hasApprovalGate(spec.template) && !isSteered(rollout.deployment)
      ? [`Steering: ${gateWithoutStrategyText}.`]
      : []
  }
  return [
    `Steering: ${withPeriod(condition.message ?? "")}`,
    ...(isSteeringInProgress(rollout.deployment) ? progressSentences(rollout) : [])
  ]
}

export interface SteeringSummary {
  /** Undefined if the strategy is invalid. */
  readonly chart: string | undefined
  /** The reason of the condition; `unseen` before it is written. */
  readonly state: string
  readonly isWell: boolean
  readonly message: string
  readonly steps?: ReadonlyArray<string>
  readonly stepsDone?: number
  /** What the user can ask for now, each as a command. */
  readonly requests: ReadonlyArray<{ readonly title: string; readonly command: string }>
}

export const steeringSummary = (rollout: SteeredRollout): SteeringSummary | undefined => {
  const { deployment, steering } = rollout
  if (!isSteered(deployment)) return undefined
  const { state, isWell } = explainSteering(deployment)
  const { message = "" } = conditionOf(deployment.status.conditions, steeredCondition) ?? {}
  const { settings } = steering ?? {}
  const { namespace = "default", name } = deployment.metadata
  return {
    chart: steering?.name,
    state,
    isWell,
    message,
    ...(hasSteps(settings)
      ? {
          steps: settings.steps.map((step) => stepSummary(step, deployment.spec.replicas)),
          stepsDone: stepIndex(observationOf(rollout))
        }
      : {}),
    requests: steeringRequests(deployment).map((request) => ({
      title: request.title,
      command: `kubectl annotate deployment/${name} -n ${namespace} ${annotateArgument(request)}`
    }))
  }
}

/** A message that ends with a command gets no period, so that the command can be copied. */
const withPeriod = (message: string): string => (/[.!?=-]$/u.test(message) ? message : `${message}.`)

const progressSentences = (rollout: SteeredRollout): ReadonlyArray<string> => {
  const { deployment, steering } = rollout
  if (steering === undefined) return []
  const settings = steering.settings as FailureSettings
  const observation = observationOf(rollout)
  const isStepped = hasSteps(settings)
  const canAbort = isStepped || steeringRequests(deployment).some(({ id }) => id === "abort")
  const abortText = canAbort
    ? `; by hand: kubectl annotate ${kubectlTarget(deployment)} ${abortAnnotation}=REASON`
    : ""
  const failureTexts = [
    ...failureBudgetTexts(settings),
    ...(isStepped ? checkFailureTexts(observation) : []),
    ...(isDeadlineCounted(observation)
      ? [`it makes no progress for ${formatDuration((deployment.spec.progressDeadlineSeconds ?? 0) * 1000)}`]
      : [])
  ]
  const whyNotUndoneText = whyNotUndone(observation, settings.onFailure)
  return [
    ...(isStepped && currentRecord(observation) !== undefined
      ? [`Its steps: ${stepPlanText(observation)}.`]
      : []),
    `It is ${whyNotUndoneText === undefined ? "taken back" : "given up"} when ${failureTexts.join(", or ")}${abortText}.`,
    ...(hasProgressDeadline(deployment) && !isDeadlineCounted(observation)
      ? ["Its deadline does not end it now."]
      : []),
    ...(whyNotUndoneText === undefined || settings.onFailure === "hold"
      ? []
      : [
          `It is not taken back: ${whyNotUndoneText.replace(/^(?:No|The|It)\b/u, (word) => word.toLowerCase())}`
        ])
  ]
}

const isDeadlineCounted = (observation: SteeringObservation): boolean =>
  hasProgressDeadline(observation.deployment) &&
  (hasSteps(observation.strategy?.settings)
    ? millisUntilStalled(observation) !== undefined
    : observation.deployment.spec.paused !== true)

/** The lists that the sentences do not need are empty. */
const observationOf = ({
  deployment,
  replicaSets,
  pods,
  nowMillis,
  steering,
  gitManagers = []
}: SteeredRollout): SteeringObservation => {
  const newReplicaSet = findNewReplicaSet(deployment, replicaSets)
  return {
    deployment,
    strategy: steering,
    problems: [],
    replicaSets,
    newReplicaSet,
    newPods: pods.filter(
      (pod) =>
        newReplicaSet !== undefined &&
        controllerOf(pod)?.uid === newReplicaSet.metadata.uid &&
        isPodActive(pod)
    ),
    completePods: [],
    services: [],
    jobs: [],
    hookJobs: [],
    gitManagers,
    nowMillis
  }
}
