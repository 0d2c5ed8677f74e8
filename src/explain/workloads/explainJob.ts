import { isManagedElsewhere } from "../../kubernetes/batch/jobs/jobState.ts"
import { backOffEndMillis, failuresAmong } from "../../kubernetes/batch/jobs/jobBackOff.ts"
import { formatDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { hasBackoffLimitPerIndex } from "../../kubernetes/batch/jobs/jobPods.ts"
import { missingJobPods } from "../../kubernetes/batch/jobs/jobPlan.ts"
import { timestampMillis } from "../../kubernetes/meta/amounts/timestamps.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { isOrAre } from "../objects/rolloutCounts.ts"
import { isPodActive, isPodReady, isPodTerminating } from "../../kubernetes/pods/podState.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { nodesByName } from "../objects/podProblems.ts"
import { creationRefusal, refusalSentences } from "../objects/creationRefusal.ts"
import { podProblemSentences } from "../objects/podProblemSentences.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { StateExplanation } from "../objects/stateExplanation.ts"

export interface ExplainJobInput {
  readonly job: Job
  readonly pods: ReadonlyArray<Pod>
  readonly events: ReadonlyArray<NormalizedEvent>
  readonly nodes: Iterable<Node>
  readonly nowMillis: number
}

export const explainJob = (input: ExplainJobInput): StateExplanation => {
  const { job, pods, events, nowMillis } = input
  const { metadata, spec, status } = job
  const { succeeded = 0, failed = 0 } = status
  const active = pods.filter(isPodActive)
  const terminating = pods.filter(isPodTerminating).length
  const isComplete = conditionOf(status.conditions, "Complete")?.status === "True"
  const hasFailed = conditionOf(status.conditions, "Failed")?.status === "True"
  const name = `Job ${JSON.stringify(metadata.name)}`
  const goal = spec.completions === undefined ? "one success" : countText(spec.completions, "completion")
  const countsText =
    (isComplete ? "is complete: " : `wants ${goal}: `) +
    `${succeeded} succeeded, ${failed} failed, ${active.length} ${isOrAre(active.length)} active` +
    (spec.backoffLimitPerIndex === undefined ? "" : `; failed indexes: ${status.failedIndexes || "none"}`)
  const environment = { events, minReadySeconds: 0, nowMillis, nodes: nodesByName(input.nodes) }
  const isOver = isComplete || hasFailed
  const refusals = isOver ? [] : refusalSentences(creationRefusal(job, pods, events))
  const problems = podProblemSentences(isOver ? [] : active, environment)
  return {
    state: isTerminating(job) ? "deleting" : isComplete ? "complete" : hasFailed ? "failed" : "waiting",
    isWell: isComplete,
    sentences: [
      isTerminating(job) ? `${name} is being deleted: it ${countsText}.` : `${name} ${countsText}.`,
      ...(isTerminating(job) ? [] : outcomeSentences(input, terminating)),
      ...refusals,
      ...problems.sentences
    ],
    blockingSentences: [...refusals, ...problems.blockingSentences],
    numbers: {
      parallelism: spec.parallelism,
      active: active.length,
      ready: active.filter(isPodReady).length,
      succeeded,
      failed,
      terminating
    }
  }
}

/** `completions` of an Indexed Job may change even when they are reached. */
const resizedSentences = ({ spec: { completions = 0 }, status }: Job): ReadonlyArray<string> => {
  const { reason } = conditionOf(status.conditions, "Complete") ?? {}
  return reason === "CompletionsReached" && completions > (status.succeeded ?? 0)
    ? [`spec.completions is ${completions} since then: a finished Job starts no more Pods.`]
    : []
}

const outcomeSentences = (input: ExplainJobInput, terminating: number): ReadonlyArray<string> => {
  const { job } = input
  const { spec, status } = job
  const { conditions } = status
  const failure = conditionOf(conditions, "Failed") ?? conditionOf(conditions, "FailureTarget")
  const success = conditionOf(conditions, "Complete") ?? conditionOf(conditions, "SuccessCriteriaMet")
  const waitText =
    terminating === 0 ? "" : ` It waits for ${countText(terminating, "Pod")} to end before it says so.`
  if (failure?.status === "True")
    return [
      `It ${failure.type === "Failed" ? "has failed" : "fails"}: ${failure.message ?? failure.reason ?? ""}.${failure.type === "Failed" ? "" : waitText}`
    ]
  if (success?.type === "Complete") return resizedSentences(job)
  if (success?.status === "True") return [`It has succeeded.${waitText}`]
  if (spec.suspend === true) return ["It is suspended (spec.suspend): no Pod runs until it is resumed."]
  if (isManagedElsewhere(job))
    return [`It is left to another controller: spec.managedBy is ${spec.managedBy}.`]
  return [...nextPodSentences(input), ...successSentences(job), ...deadlineSentences(input)]
}

const nextPodSentences = ({ job, pods, nowMillis }: ExplainJobInput): ReadonlyArray<string> => {
  if (job.spec.parallelism === 0) return ["It starts no Pods: spec.parallelism is 0."]
  // Adoption and ttlSecondsAfterFinished do not affect the next Pod.
  const observation = { job, pods, claims: { adopt: [], release: [] }, deletesExpired: true, nowMillis }
  const { nextMillis } = missingJobPods(observation, backOffEndMillis(failuresAmong(pods)))
  if (nextMillis === undefined) return []
  const dueText = `in ${formatDuration(nextMillis - nowMillis)}`
  const ofIndexText = hasBackoffLimitPerIndex(job) ? " of an index" : ""
  return [
    `It creates its next Pod ${dueText}: 10s after a first failure${ofIndexText}, and twice as long after each further one.`
  ]
}

const successSentences = ({ spec: { successPolicy } }: Job): ReadonlyArray<string> =>
  (successPolicy?.rules ?? []).map(({ succeededCount, succeededIndexes }) => {
    const indexes = succeededIndexes === undefined ? "" : ` of the indexes ${succeededIndexes}`
    const enough =
      succeededCount === undefined
        ? `the indexes ${succeededIndexes ?? ""} have`
        : `${succeededCount}${indexes} ${succeededCount === 1 ? "has" : "have"}`
    return `It succeeds as soon as ${enough} succeeded (spec.successPolicy).`
  })

const deadlineSentences = ({ job: { spec, status }, nowMillis }: ExplainJobInput): ReadonlyArray<string> => {
  const { activeDeadlineSeconds } = spec
  if (activeDeadlineSeconds === undefined || status.startTime === undefined) return []
  const endMillis = timestampMillis(status.startTime) + activeDeadlineSeconds * 1000
  return [
    `It fails if it has not succeeded in ${formatDuration(Math.max(0, endMillis - nowMillis))} (spec.activeDeadlineSeconds).`
  ]
}
