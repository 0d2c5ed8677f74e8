import { labelProblems } from "../validation/nameRules.ts"
import { approvalGate } from "./steeringNames.ts"
import { formatDuration } from "../meta/amounts/durations.ts"
import { hasApprovalGate } from "./podApproval.ts"
import { nearestWord } from "../meta/text/nearestWord.ts"
import { approvesAll } from "./rolloutSteps.ts"
import { placeholders } from "./stepChecks.ts"
import { rollingUpdateDefaults } from "../apps/rolloutBounds.ts"
import { resolveIntOrPercent } from "../meta/amounts/intOrPercent.ts"
import type { BlueGreenSettings, FailureSettings, RolloutStep, StepSettings } from "./steeringSettings.ts"
import type { Deployment } from "../meta/objects.ts"
import type { DocumentPath } from "../meta/text/fieldPath.ts"

/** `path` is the field among the settings. */
export interface SteeringProblem {
  readonly message: string
  readonly path?: DocumentPath
}

export const gateProblems = ({ spec }: Deployment): ReadonlyArray<SteeringProblem> => {
  const { strategy, template } = spec
  if (strategy.type === "Recreate")
    return [
      { message: "spec.strategy.type must be RollingUpdate: Recreate leaves no old Pod while new ones wait" }
    ]
  const unavailable = strategy.rollingUpdate?.maxUnavailable ?? rollingUpdateDefaults.maxUnavailable
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
    ...(hasApprovalGate(template)
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

export const approvalGateProblems = ({ spec }: Deployment): ReadonlyArray<SteeringProblem> =>
  hasApprovalGate(spec.template)
    ? [
        {
          message:
            `spec.template.spec has the readiness gate ${approvalGate}, and automaticRollback approves no Pods: ` +
            "none would become Ready. Remove the gate, or choose canary or blueGreen"
        }
      ]
    : []

export const stepProblems = (
  settings: StepSettings,
  deployment: Deployment
): ReadonlyArray<SteeringProblem> => [
  ...gateProblems(deployment),
  ...settings.steps.flatMap((step, index) => {
    const problem = stepProblem(settings, step, index, deployment)
    return problem === undefined ? [] : [{ message: problem, path: ["steps", index] }]
  }),
  ...hookNameProblems(settings),
  ...placeholderProblems(settings)
]

const hookNameProblems = ({ hooks = {} }: StepSettings): ReadonlyArray<SteeringProblem> =>
  Object.entries(hooks).flatMap(([name, hook]) =>
    "http" in hook || labelProblems(name).length === 0
      ? []
      : [
          {
            message:
              `${JSON.stringify(name)} is part of the names of the Jobs that it starts: ` +
              "it must consist of at most 63 of a-z, 0-9 and -, and begin and end with a letter or digit",
            path: ["hooks", name]
          }
        ]
  )

export const blueGreenProblems = (
  settings: BlueGreenSettings,
  deployment: Deployment
): ReadonlyArray<SteeringProblem> => {
  const { replicas, strategy } = deployment.spec
  const surge = strategy.rollingUpdate?.maxSurge ?? rollingUpdateDefaults.maxSurge
  const startableCount = resolveIntOrPercent({ value: surge, total: replicas, round: "up" })
  return [
    ...withBlueGreenPaths(settings, stepProblems(settings, deployment)),
    ...(strategy.type === "Recreate" || startableCount >= replicas
      ? []
      : [
          {
            message:
              `spec.strategy.rollingUpdate.maxSurge must be 100% and is ${surge}: only ${startableCount} of ` +
              `${replicas} Pods of the new revision could start beside the old ones`
          }
        ])
  ]
}

/** The chart has one list of steps, the user two: `before` and `after`. */
export const withBlueGreenPaths = (
  { steps }: BlueGreenSettings,
  problems: ReadonlyArray<SteeringProblem>
): ReadonlyArray<SteeringProblem> => {
  const approvalIndex = steps.findIndex((step) => "approve" in step)
  return problems.map((problem) => {
    const [field, index] = problem.path ?? []
    if (field !== "steps" || typeof index !== "number") return problem
    const path = index < approvalIndex ? ["before", index - 1] : ["after", index - approvalIndex - 1]
    return { ...problem, path }
  })
}

const stepProblem = (
  settings: StepSettings,
  step: RolloutStep,
  index: number,
  { spec }: Deployment
): string | undefined => {
  const earlierSteps = settings.steps.slice(0, index)
  if ("start" in step) return undefined
  if ("run" in step) return unknownName("hook", step.run, settings.hooks)
  if ("approve" in step) return approveProblem(earlierSteps, step.approve, spec.replicas)
  const unknown = "analyse" in step ? unknownName("analysis", step.analyse, settings.analyses) : undefined
  return unknown ?? waitProblem(settings, index, spec)
}

const unknownName = (
  checkType: "hook" | "analysis",
  name: string,
  known: Readonly<Record<string, unknown>> = {}
): string | undefined => {
  if (Object.hasOwn(known, name)) return undefined
  const nearest = nearestWord(name, Object.keys(known))
  const field = checkType === "hook" ? "hooks" : "analyses"
  const hint = nearest === undefined ? `${field} has no such name` : `did you mean ${nearest}?`
  return `${JSON.stringify(name)} is no ${checkType}; ${hint}`
}

/**
 * No Pod becomes available during holds and analyses, so successive ones together must be shorter than the
 * progress deadline.
 */
const waitProblem = (
  { steps, analyses }: StepSettings,
  index: number,
  { progressDeadlineSeconds: seconds }: Deployment["spec"]
): string | undefined => {
  const earlierSteps = steps.slice(0, index)
  if (seconds === undefined) return undefined
  const timedAnalyses = earlierSteps.some(approvesAll) ? undefined : analyses
  const lastApproval = earlierSteps.findLastIndex((step) => "approve" in step || "start" in step)
  const waits = steps.slice(lastApproval + 1, index + 1).map((step) => leastWait(step, timedAnalyses))
  const ownWait = waits.at(-1)
  const totalMillis = waits.reduce((sum, wait) => sum + (wait?.millis ?? 0), 0)
  if (ownWait === undefined || totalMillis < seconds * 1000) return undefined
  const kinds = new Set(waits.flatMap((wait) => wait?.kind ?? []))
  const title =
    totalMillis === ownWait.millis
      ? ownWait.text
      : `${[...kinds].join(" and ")} of ${formatDuration(totalMillis)}, one after another,`
  return (
    `${title} must be shorter than progressDeadlineSeconds (${seconds}): ` +
    "kubectl rollout status would report a failure"
  )
}

interface LeastStepWait {
  readonly millis: number
  readonly kind: "holds" | "analyses"
  readonly text: string
}

const leastWait = (step: RolloutStep, analyses: StepSettings["analyses"]): LeastStepWait | undefined => {
  if ("holdMillis" in step) {
    const { holdMillis } = step
    return holdMillis === undefined
      ? undefined
      : { millis: holdMillis, kind: "holds", text: `a hold of ${formatDuration(holdMillis)}` }
  }
  const analysis = "analyse" in step ? analyses?.[step.analyse] : undefined
  if (analysis === undefined || analysis.count === 1) return undefined
  const { count, intervalMillis } = analysis
  // The first answer is asked for at once.
  const millis = (count - 1) * intervalMillis
  return {
    millis,
    kind: "analyses",
    text: `an analysis of ${formatDuration(millis)} (${count} answers, ${formatDuration(intervalMillis)} apart)`
  }
}

const approveProblem = (
  earlierSteps: ReadonlyArray<RolloutStep>,
  approve: number | string,
  replicas: number
): string | undefined => {
  const isPercent = typeof approve === "string"
  if (isPercent && approve !== "100%" && replicas === 0)
    return `approve: ${approve} of 0 replicas approves no Pod: the strategy is followed once spec.replicas is 1 or more`
  // Whether a percentage is more than a count depends on the replicas.
  const largerStep = earlierSteps.findLast(
    (earlier) =>
      "approve" in earlier &&
      (typeof earlier.approve === "string") === isPercent &&
      approveNumber(earlier.approve) > approveNumber(approve)
  )
  return largerStep === undefined || !("approve" in largerStep)
    ? undefined
    : `approve: ${approve} must not be less than an earlier step's ${largerStep.approve}: approvals stay`
}

const approveNumber = (approve: number | string): number => Number.parseInt(String(approve), 10)

const placeholderProblems = ({ hooks = {}, analyses = {} }: StepSettings): ReadonlyArray<SteeringProblem> => [
  ...Object.entries(hooks).flatMap(([name, hook]) =>
    "http" in hook ? unknownPlaceholderProblems(hook.http, ["hooks", name, "http"]) : []
  ),
  ...Object.entries(analyses).flatMap(([name, { source }]) =>
    Object.entries(source).flatMap(([field, text]) =>
      unknownPlaceholderProblems(text, ["analyses", name, field])
    )
  )
]

const unknownPlaceholderProblems = (text: string, path: DocumentPath): ReadonlyArray<SteeringProblem> =>
  [...text.matchAll(/\{\{\s*([^}]*?)\s*\}\}/gu)]
    .map(([, name = ""]) => name)
    .filter((name) => !placeholders.some((placeholder) => placeholder === name))
    .map((name) => ({
      path,
      message: `{{${name}}} is no placeholder; there are ${placeholders.map((placeholder) => `{{${placeholder}}}`).join(", ")}`
    }))

export const failureWarnings = (
  { startTimeoutMillis, scheduleTimeoutMillis }: FailureSettings,
  { spec: { progressDeadlineSeconds: seconds = Infinity } }: Deployment
): ReadonlyArray<SteeringProblem> => [
  ...timeoutWarnings("cannotStart", startTimeoutMillis, seconds, "a single attempt to pull an image fails"),
  ...(scheduleTimeoutMillis === undefined
    ? []
    : timeoutWarnings("cannotSchedule", scheduleTimeoutMillis, seconds, "a Pod has to wait for a node"))
]

const timeoutWarnings = (
  field: "cannotStart" | "cannotSchedule",
  timeoutMillis: number,
  deadlineSeconds: number,
  firstFailure: string
): ReadonlyArray<SteeringProblem> => {
  const title = `${field}: ${formatDuration(timeoutMillis)}`
  const path = [field]
  if (timeoutMillis === 0) return [{ path, message: `${title} ends the rollout when ${firstFailure}` }]
  return timeoutMillis < deadlineSeconds * 1000
    ? []
    : [
        {
          path,
          message: `${title} is no shorter than progressDeadlineSeconds (${deadlineSeconds}), which ends it before`
        }
      ]
}

export const stepWarnings = (
  settings: StepSettings,
  deployment: Deployment
): ReadonlyArray<SteeringProblem> => {
  const { steps, hooks = {} } = settings
  const { replicas, progressDeadlineSeconds: seconds = Infinity } = deployment.spec
  const slowHooks = Object.entries(hooks).filter(
    ([name, { timeoutMillis }]) =>
      timeoutMillis >= seconds * 1000 &&
      // Once all Pods are available, there is no deadline.
      steps.some(
        (step, index) => "run" in step && step.run === name && !steps.slice(0, index).some(approvesAll)
      )
  )
  return [
    ...failureWarnings(settings, deployment),
    ...steps.flatMap((step, index) => {
      const path = ["steps", index]
      if ("holdMillis" in step && step.holdMillis === 0) return [{ path, message: "hold: 0s does not wait" }]
      // A manifest for an autoscaler has no replicas, and the default is 1.
      return "approve" in step && typeof step.approve === "number" && step.approve > replicas && replicas > 1
        ? [{ path, message: `approve: ${step.approve} of ${replicas} replicas approves all of them` }]
        : []
    }),
    ...slowHooks.map(([name, { timeoutMillis }]) => ({
      path: ["hooks", name],
      message:
        `hook ${JSON.stringify(name)} may take ${formatDuration(timeoutMillis)}: after ` +
        `progressDeadlineSeconds (${seconds}) kubectl rollout status reports a failure`
    }))
  ]
}

export const blueGreenWarnings = (
  settings: BlueGreenSettings,
  deployment: Deployment
): ReadonlyArray<SteeringProblem> => withBlueGreenPaths(settings, stepWarnings(settings, deployment))
