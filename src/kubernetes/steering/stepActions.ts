import { currentRecord } from "./steeringObservation.ts"
import { approvesAllPodsText, promoteAnnotation, holdAnnotation } from "./steeringNames.ts"
import { recordEvent } from "../apps/sharedCommands.ts"
import {
  beginRollout,
  dismissRequests,
  newRevisionText,
  reportRollout,
  reportSteered
} from "./steeringActions.ts"
import {
  checkProgress,
  hookJobToStart,
  isHookResumable,
  recordWithAnalysisOfPods,
  questionOf,
  refusedJobText
} from "./stepChecks.ts"
import {
  approvablePods,
  availableNewPodCount,
  hasEarlierRevisionServed,
  isAfterSteps,
  isStepBypassed,
  heldBackPodCount,
  stepSettingsOf,
  isStepTimeStopped,
  unapprovedPodsOfCompleteRevisions,
  stepOrApproveAll,
  promotionOf,
  reservablePods,
  stepBeganMillis,
  stepIndex,
  rolloutStepText
} from "./rolloutSteps.ts"
import { kubectlTarget } from "../meta/text/kubectlTarget.ts"
import { countText } from "../meta/text/countText.ts"
import { timestampOf } from "../meta/amounts/timestamps.ts"
import type { SteeringCommands } from "./steeringCommands.ts"
import type { SteeringObservation } from "./steeringObservation.ts"
import type { SteeringRecord } from "./steeringRecord.ts"

/** The first revision has no older Pods to protect, and takes no steps. */
export const beginSteps = (seen: SteeringObservation): SteeringCommands =>
  beginRollout(
    seen,
    hasEarlierRevisionServed(seen) ? { step: 0, replicas: seen.deployment.spec.replicas } : {}
  )

export const approveComplete = (seen: SteeringObservation): SteeringCommands => [
  { type: "approve", pods: unapprovedPodsOfCompleteRevisions(seen) }
]

export const approvePods = (seen: SteeringObservation): SteeringCommands => [
  { type: "approve", pods: approvablePods(seen) }
]

/** Records the Pods before they are approved, so that a controller that takes over approves no others. */
export const reservePods = (seen: SteeringObservation): SteeringCommands => {
  const record = currentRecord(seen)
  if (record === undefined) return []
  const names = new Set(seen.newPods.map(({ metadata }) => metadata.name))
  const { reserved = [] } = record
  const present = reserved.filter((name) => names.has(name))
  const absent = reserved.filter((name) => !names.has(name))
  const added = reservablePods(seen).map(({ metadata }) => metadata.name)
  return [
    {
      type: "recordSteering",
      record: { ...record, reserved: [...present, ...added] },
      ...(absent.length === 0 ? {} : { absent })
    }
  ]
}

const recordStep = (seen: SteeringObservation, record: SteeringRecord, step: number): SteeringRecord => {
  const {
    check: _check,
    isResumed: _isResumed,
    refusedJob: _refusedJob,
    refusedApproval: _refusedApproval,
    ...rest
  } = record
  return { ...rest, ...stepBeginning(seen), step }
}

const stepBeginning = ({ deployment, nowMillis }: SteeringObservation) => ({
  since: new Date(nowMillis).toISOString(),
  replicas: deployment.spec.replicas
})

const stepNumberText = (seen: SteeringObservation): string =>
  `step ${stepIndex(seen) + 1} of ${stepSettingsOf(seen).steps.length}`

export const advanceStep = (seen: SteeringObservation): SteeringCommands => {
  const record = currentRecord(seen)
  if (record === undefined) return []
  return [
    { type: "recordSteering", record: recordStep(seen, record, stepIndex(seen) + 1) },
    recordEvent(
      "Normal",
      "StepCompleted",
      `${newRevisionText(seen)} completed ${stepNumberText(seen)}: ${stepResultText(seen)}`
    )
  ]
}

const stepResultText = (seen: SteeringObservation): string => {
  const step = stepOrApproveAll(seen)
  if ("approve" in step)
    return `${countText(availableNewPodCount(seen), "approved Pod is", "approved Pods are")} available`
  if ("start" in step) return `${countText(seen.newPods.length, "Pod is", "Pods are")} up`
  if ("run" in step) return `hook ${JSON.stringify(step.run)} succeeded`
  return "analyse" in step
    ? `analysis ${JSON.stringify(step.analyse)} passed: ${currentRecord(seen)?.check?.says ?? ""}`
    : "its hold is over"
}

export const runHook = (seen: SteeringObservation): SteeringCommands => {
  const job = hookJobToStart(seen)
  return job === undefined
    ? []
    : [
        ...reportRefusedJob(seen),
        { type: "run", job },
        recordEvent(
          "Normal",
          "HookStarted",
          `${newRevisionText(seen)} started Job ${job.metadata.name ?? ""}`
        )
      ]
}

const reportRefusedJob = (seen: SteeringObservation): SteeringCommands => {
  const problem = refusedJobText(seen)
  return problem === undefined
    ? []
    : reportSteered(
        seen,
        "False",
        "HookNotStarted",
        `${newRevisionText(seen)} ${rolloutStepText(seen)}: ${problem}`
      )
}

export const askCheck = (seen: SteeringObservation): SteeringCommands => {
  const answered = recordWithAnalysisOfPods(seen)
  if (answered !== undefined) return [{ type: "recordSteering", record: answered }]
  const [record, question] = [currentRecord(seen), questionOf(seen)]
  return record === undefined || question === undefined ? [] : [{ type: "ask", question, record }]
}

const reportStep = (seen: SteeringObservation, reason: string, text: string): SteeringCommands =>
  reportRollout(seen, reason, `${text}${capacityText(seen)}`)

const capacityText = (seen: SteeringObservation): string => {
  if (isStepBypassed(seen))
    return ". No older Pods are left, as after scaling down: the step holds up none of its Pods"
  const heldBack = heldBackPodCount(seen)
  const { replicas } = seen.deployment.spec
  return heldBack === 0
    ? ""
    : `. Only ${replicas - heldBack} of ${replicas} Pods may serve before a later step: ` +
        "Kubernetes gave the others, which were added by scaling, to the new revision"
}

export const reportChecking = (seen: SteeringObservation): SteeringCommands =>
  reportStep(seen, "Checking", `${rolloutStepText(seen)}; ${checkProgress(seen)}`)

/** One write records the step and removes the request, so that it is followed once. */
export const promote = (seen: SteeringObservation): SteeringCommands => {
  const record = currentRecord(seen)
  if (record === undefined) return []
  const isToEnd = promotionOf(seen) === "all"
  const step = isToEnd ? stepSettingsOf(seen).steps.length : stepIndex(seen) + 1
  return [
    { type: "recordSteering", record: recordStep(seen, record, step), removes: [promoteAnnotation] },
    recordEvent(
      "Normal",
      "Promoted",
      `${newRevisionText(seen)} was promoted at ${stepNumberText(seen)}${isToEnd ? ": all its Pods are approved" : ""}`
    )
  ]
}

export const dismissEarly = (seen: SteeringObservation): SteeringCommands =>
  dismissRequests(
    seen,
    isAfterSteps(seen)
      ? `${approvesAllPodsText} already: there is nothing to promote`
      : "does not hold: there is nothing to promote. With the value all, all its Pods are approved at once"
  )

/** The time of the step begins anew when the hold ends, and when a controller that was down is back. */
export const recordHold = (seen: SteeringObservation): SteeringCommands => {
  const record = currentRecord(seen)
  if (record === undefined) return []
  const { isHeld: _isHeld, ...rest } = record
  const resumed = isHookResumable(seen) ? { isResumed: true as const } : {}
  return [
    {
      type: "recordSteering",
      record: isStepTimeStopped(seen)
        ? { ...rest, isHeld: true }
        : { ...rest, ...stepBeginning(seen), ...resumed }
    }
  ]
}

export const reportApproving = (seen: SteeringObservation): SteeringCommands =>
  reportStep(seen, "Approving", rolloutStepText(seen))

const promoteHint = ({ deployment }: SteeringObservation): string =>
  `kubectl annotate ${kubectlTarget(deployment)} ${promoteAnnotation}=`

export const reportHolding = (seen: SteeringObservation): SteeringCommands => {
  const step = stepOrApproveAll(seen)
  const holdEndText =
    !("holdMillis" in step) || step.holdMillis === undefined
      ? "until it is promoted"
      : `until ${timestampOf(stepBeganMillis(seen) + step.holdMillis)}`
  return reportStep(
    seen,
    "Holding",
    `${rolloutStepText(seen)} ${holdEndText}. To go on: ${promoteHint(seen)}`
  )
}

export const reportHeld = (seen: SteeringObservation): SteeringCommands => {
  const target = kubectlTarget(seen.deployment)
  // Following a promotion now would overrule the user who holds the rollout.
  const pending = promotionOf(seen) === undefined ? "" : ", with a promotion that is followed then"
  const holdText =
    seen.deployment.spec.paused === true
      ? `is paused${pending}. To go on: kubectl rollout resume ${target}`
      : `is held${pending}. To go on: kubectl annotate ${target} ${holdAnnotation}-`
  return reportStep(seen, "HeldByUser", `${rolloutStepText(seen)}, and ${holdText}`)
}
