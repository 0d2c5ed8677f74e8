import { annotationOf, revisionAnnotation } from "../apps/revisions/revisions.ts"
import { recordWithAnswer } from "./steeringQuestions.ts"
import { conditionOf } from "../meta/conditions.ts"
import { countText } from "../meta/text/countText.ts"
import { currentRecord, templateHashOf } from "./steeringObservation.ts"
import { formatDuration } from "../meta/amounts/durations.ts"
import { hookJobDraft, hookJobName, isJobComplete, jobFailure } from "./hookJobs.ts"
import { isApproved } from "./podApproval.ts"
import {
  approvablePods,
  isStepTimeStopped,
  stepOrApproveAll,
  stepBeganMillis,
  stepIndex,
  stepSettingsOf
} from "./rolloutSteps.ts"
import { restartCountOf } from "../pods/podState.ts"
import { timestampMillis } from "../meta/amounts/timestamps.ts"
import type { Analysis, Hook } from "./steeringSettings.ts"
import type { HookJobDraft } from "./steeringCommands.ts"
import type { SteeringAnswer, SteeringQuestion } from "./steeringQuestions.ts"
import type { SteeringPredicate, SteeringObservation } from "./steeringObservation.ts"
import type { StepRefusal, SteeringRecord } from "./steeringRecord.ts"

const hookOfStep = (
  seen: SteeringObservation
): { readonly name: string; readonly hook: Hook } | undefined => {
  const step = stepOrApproveAll(seen)
  const hook = "run" in step ? stepSettingsOf(seen).hooks?.[step.run] : undefined
  return "run" in step && hook !== undefined ? { name: step.run, hook } : undefined
}

const analysisOfStep = (
  seen: SteeringObservation
): { readonly name: string; readonly analysis: Analysis } | undefined => {
  const step = stepOrApproveAll(seen)
  const analysis = "analyse" in step ? stepSettingsOf(seen).analyses?.[step.analyse] : undefined
  return "analyse" in step && analysis !== undefined ? { name: step.analyse, analysis } : undefined
}

export const isCheckStep: SteeringPredicate = (seen) => {
  const step = stepOrApproveAll(seen)
  return "run" in step || "analyse" in step
}

const recordedCheck = (seen: SteeringObservation) => currentRecord(seen)?.check

const hookJobOfStep = (seen: SteeringObservation) => {
  const { name, hook } = hookOfStep(seen) ?? {}
  if (name === undefined || hook === undefined || !("job" in hook)) return undefined
  const jobName = hookJobName(seen, name, stepIndex(seen))
  return {
    name,
    hook,
    jobName,
    template: seen.jobs.find(({ metadata }) => metadata.name === hook.job),
    job: seen.hookJobs.find(({ metadata }) => metadata.name === jobName)
  }
}

type HookJobOfStep = NonNullable<ReturnType<typeof hookJobOfStep>>

export const hookJobToStart = (seen: SteeringObservation): HookJobDraft | undefined => {
  const run = hookJobOfStep(seen)
  if (run?.template === undefined || run.job !== undefined) return undefined
  const { name: hook, jobName: name, template } = run
  return hookJobDraft(seen, { hook, name, template, timeoutMillis: run.hook.timeoutMillis })
}

const placeholdersOf = ({
  deployment: { metadata },
  newReplicaSet
}: SteeringObservation): Readonly<Record<Placeholder, string>> => ({
  deployment: metadata.name,
  namespace: metadata.namespace ?? "default",
  hash: newReplicaSet === undefined ? "" : templateHashOf(newReplicaSet),
  revision: newReplicaSet === undefined ? "" : (annotationOf(newReplicaSet, revisionAnnotation) ?? "")
})

export const placeholders = ["deployment", "namespace", "hash", "revision"] as const
type Placeholder = (typeof placeholders)[number]

const fillPlaceholders = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\{\{\s*(\w+)\s*\}\}/gu, (whole, name: string) => values[name] ?? whole)

const successStatusLimits = { min: 200, max: 299 }

export const questionOf = (seen: SteeringObservation): SteeringQuestion | undefined => {
  const values = placeholdersOf(seen)
  const { name, hook } = hookOfStep(seen) ?? {}
  if (name !== undefined && hook !== undefined && "http" in hook) {
    const { http, method, timeoutMillis } = hook
    const source = { http: fillPlaceholders(http, values), method, body: { hook: name, ...values } }
    return { name, source, timeoutMillis, limits: successStatusLimits }
  }
  const found = analysisOfStep(seen)
  if (found === undefined) return undefined
  const { source, timeoutMillis, min, max, equals } = found.analysis
  if ("pods" in source) return undefined
  const isStatus = "http" in source && source.path === undefined
  const isUnlimited = min === undefined && max === undefined && equals === undefined
  return {
    name: found.name,
    timeoutMillis,
    limits: isStatus && isUnlimited ? successStatusLimits : limitsOf(found.analysis),
    source:
      "http" in source
        ? { ...source, http: fillPlaceholders(source.http, values) }
        : {
            prometheus: fillPlaceholders(source.prometheus, values),
            query: fillPlaceholders(source.query, values)
          }
  }
}

const limitsOf = ({ min, max, equals }: Analysis) => ({
  ...(min === undefined ? {} : { min }),
  ...(max === undefined ? {} : { max }),
  ...(equals === undefined ? {} : { equals })
})

/** Undefined unless the step's analysis counts observed Pods or restarts. */
export const recordWithAnalysisOfPods = (seen: SteeringObservation): SteeringRecord | undefined => {
  const record = currentRecord(seen)
  const { analysis } = analysisOfStep(seen) ?? {}
  if (record === undefined || analysis === undefined || !("pods" in analysis.source)) return undefined
  const answer: SteeringAnswer = { value: podsValue(seen, analysis.source.pods) }
  return recordWithAnswer(record, answer, limitsOf(analysis), seen.nowMillis)
}

/** Pods that the same transition approves count as approved. */
const podsValue = (seen: SteeringObservation, measured: "restarts" | "notReady"): number => {
  const { newPods } = seen
  if (measured === "restarts") return newPods.reduce((sum, pod) => sum + restartCountOf(pod), 0)
  const approvedNow = approvablePods(seen)
  return newPods.filter(
    (pod) =>
      (isApproved(pod) || approvedNow.includes(pod)) &&
      conditionOf(pod.status.conditions, "Ready")?.status !== "True"
  ).length
}

/** Undefined if no answer is awaited. */
const millisUntilAnswerDue = (seen: SteeringObservation): number | undefined => {
  if (hookJobOfStep(seen) !== undefined || !isCheckStep(seen) || isCheckPassed(seen)) return undefined
  const check = recordedCheck(seen)
  const { analysis } = analysisOfStep(seen) ?? {}
  if (check === undefined) return 0
  return timestampMillis(check.at) + (analysis?.intervalMillis ?? 0) - seen.nowMillis
}

export const isAnswerDue: SteeringPredicate = (seen) => (millisUntilAnswerDue(seen) ?? Infinity) <= 0

const millisUntilJobTimeout = (seen: SteeringObservation): number | undefined => {
  const run = hookJobOfStep(seen)
  if (run === undefined) return undefined
  const began = [run.job?.metadata.creationTimestamp, refusalOf(seen, run)?.at]
  const beganMillis = began.map((time) => timestampMillis(time ?? "") || 0)
  const [stepMillis, { timeoutMillis }] = [stepBeganMillis(seen), run.hook]
  // Another client may delete the Job again and again.
  const latestMillis = stepMillis + 2 * timeoutMillis
  return Math.min(Math.max(stepMillis, ...beganMillis) + timeoutMillis, latestMillis) - seen.nowMillis
}

const refusalOf = (seen: SteeringObservation, { jobName }: HookJobOfStep): StepRefusal | undefined => {
  const refusal = currentRecord(seen)?.refusedJob
  return refusal?.name === jobName ? refusal : undefined
}

export const refusedJobText = (seen: SteeringObservation): string | undefined => {
  const run = hookJobOfStep(seen)
  const refusal = run && refusalOf(seen, run)
  return refusal === undefined ? undefined : `Job ${refusal.name} cannot be created: ${refusal.why}`
}

/** No controller ran that could start the Job in time: the time of the step begins anew, once. */
export const isHookResumable: SteeringPredicate = (seen) => {
  const run = hookJobOfStep(seen)
  if (run === undefined || run.job !== undefined || run.template === undefined) return false
  const isTimeOver = (millisUntilJobTimeout(seen) ?? Infinity) <= 0
  const isFirstTime = refusalOf(seen, run) === undefined && currentRecord(seen)?.isResumed !== true
  return isTimeOver && isFirstTime && !isTimeStopped(seen)
}

const isTimeStopped: SteeringPredicate = (seen) =>
  isStepTimeStopped(seen) || currentRecord(seen)?.isHeld === true

export const millisUntilAnswerDueOrJobTimeout = (seen: SteeringObservation): number | undefined =>
  millisUntilJobTimeout(seen) ?? millisUntilAnswerDue(seen)

export const isCheckPassed: SteeringPredicate = (seen) => {
  const run = hookJobOfStep(seen)
  if (run !== undefined) return run.job !== undefined && isJobComplete(run.job)
  const answerCount = recordedCheck(seen)?.taken ?? 0
  return isCheckStep(seen) && answerCount >= (analysisOfStep(seen)?.analysis.count ?? 1)
}

export const checkFailure = (seen: SteeringObservation): string | undefined => {
  const check = recordedCheck(seen)
  if (check === undefined && !isCheckStep(seen)) return undefined
  const run = hookJobOfStep(seen)
  if (run !== undefined) return hookJobFailure(seen, run)
  const found = analysisOfStep(seen)
  if (check === undefined || check.failed <= (found?.analysis.failures ?? 0)) return undefined
  if (found === undefined) return `hook ${JSON.stringify(hookOfStep(seen)?.name ?? "")} failed: ${check.says}`
  const times =
    check.taken === 1
      ? ""
      : ` ${check.failed} of ${countText(check.taken, "time")}, ${found.analysis.failures} allowed`
  return `analysis ${JSON.stringify(found.name)} failed${times}: ${check.says}`
}

const hookJobFailure = (seen: SteeringObservation, run: HookJobOfStep): string | undefined => {
  const { name, hook, job, template, jobName } = run
  const title = `hook ${JSON.stringify(name)}`
  if (job === undefined && template === undefined)
    return `${title} failed: there is no Job ${JSON.stringify(hook.job)} to start a copy of`
  const failure = job === undefined ? undefined : jobFailure(job)
  if (failure !== undefined) return `${title} failed: ${failure}`
  if ((millisUntilJobTimeout(seen) ?? Infinity) > 0) return undefined
  const timeout = formatDuration(hook.timeoutMillis)
  if (job === undefined) {
    if (isHookResumable(seen) || isTimeStopped(seen)) return undefined
    const { why } = refusalOf(seen, run) ?? {}
    const cause = why === undefined ? "" : `: ${why}`
    return `${title} failed: Job ${jobName} could not be created within ${timeout}${cause}`
  }
  if (isJobComplete(job)) return undefined
  const createdMillis = timestampMillis(job.metadata.creationTimestamp ?? "") || 0
  const late =
    seen.nowMillis - createdMillis < hook.timeoutMillis
      ? `was not complete ${formatDuration(seen.nowMillis - stepBeganMillis(seen))} after its step began`
      : `took longer than ${timeout}`
  return `${title} failed: Job ${jobName} ${late}`
}

export const checkProgress = (seen: SteeringObservation): string => {
  const run = hookJobOfStep(seen)
  if (run !== undefined) return `Job ${run.jobName} ${run.job === undefined ? "starts" : "runs"}`
  const check = recordedCheck(seen)
  const count = analysisOfStep(seen)?.analysis.count ?? 1
  return check === undefined
    ? "no answer yet"
    : `${check.taken} of ${countText(count, "answer")}, the last one: ${check.says}`
}
