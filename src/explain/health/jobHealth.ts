import { allContainerStatuses, isPodActive } from "../../kubernetes/pods/podState.ts"
import { compareByCreation } from "../../kubernetes/meta/objectOrder.ts"
import { conditionOf } from "../../kubernetes/meta/conditions.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { creationRefusal } from "../objects/creationRefusal.ts"
import { exitText } from "./podTrouble.ts"
import { tallyTrouble } from "./troubleTally.ts"
import { toWorkloadHealth } from "./healthLeads.ts"
import { whyNoJobStarts } from "../workloads/explainCronJob.ts"
import type { NormalizedEvent } from "../../kubernetes/meta/normalizeEvent.ts"
import type { CronJobObservation } from "../../kubernetes/batch/cronJobs/cronJobObservation.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { Node, Pod } from "../../kubernetes/meta/objects.ts"
import type { Progress, WorkloadHealth } from "./healthLeads.ts"

interface JobObjects {
  readonly pods: ReadonlyArray<Pod>
  readonly events: ReadonlyArray<NormalizedEvent>
  readonly nodes: ReadonlyMap<string, Node>
}

/** A Job needs no available Pods, so its health is never worse than `ok`. */
const toJobHealth = (progress: Progress, causes: ReadonlyArray<string>): WorkloadHealth =>
  toWorkloadHealth("ok", progress, causes)

export const jobHealth = (job: Job, { pods, events, nodes }: JobObjects): WorkloadHealth => {
  const { spec, status } = job
  const isTrue = (type: string): boolean => conditionOf(status.conditions, type)?.status === "True"
  const failure = conditionOf(status.conditions, isTrue("Failed") ? "Failed" : "FailureTarget")
  if (failure?.status === "True")
    return toJobHealth("failed", [failure.message ?? failure.reason ?? "", ...failedPodTexts(pods)])
  if (isTrue("Complete") || isTrue("SuccessCriteriaMet")) return toJobHealth("complete", [])
  if (spec.suspend === true) return toJobHealth("suspended", [])
  const refusal = creationRefusal(job, pods, events)
  const active = pods.filter(isPodActive)
  // A Job's template cannot change: all its Pods are new ones.
  const { troubles, blockedNewPodCount } = tallyTrouble(active, nodes, () => true)
  const isBlocked = refusal !== undefined || (blockedNewPodCount > 0 && blockedNewPodCount === active.length)
  return toJobHealth(isBlocked ? "blocked" : "running", [
    ...(refusal === undefined ? [] : [`a Pod was refused: ${refusal}`]),
    ...troubles.map(({ text }) => text),
    ...failedPodTexts(pods)
  ])
}

/** `3 Pods failed: exit code 1`, the most frequent first. */
const failedPodTexts = (pods: ReadonlyArray<Pod>): ReadonlyArray<string> => {
  const failed = Map.groupBy(
    pods.filter(({ status }) => status.phase === "Failed"),
    podEndText
  )
  return [...failed]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([text, group]) => `${countText(group.length, "Pod")} failed${text === "" ? "" : `: ${text}`}`)
}

const podEndText = (pod: Pod): string => {
  const exits = allContainerStatuses(pod).flatMap(({ state }) => state?.terminated ?? [])
  const failedExit = exits.find(({ exitCode }) => exitCode !== 0)
  return pod.status.reason ?? (failedExit === undefined ? "" : exitText(failedExit))
}

export const cronJobHealth = (
  observation: CronJobObservation,
  events: ReadonlyArray<NormalizedEvent>,
  healthOf: (job: Job) => WorkloadHealth
): WorkloadHealth => {
  const problem = whyNoJobStarts(observation)
  if (problem !== undefined) return toJobHealth("blocked", [problem])
  const refusal = creationRefusal(observation.cronJob, observation.jobs, events)
  if (refusal !== undefined) return toJobHealth("blocked", [`a Job was refused: ${refusal}`])
  const latest = [...observation.jobs].sort(compareByCreation).at(-1)
  const { progress, cause }: Pick<WorkloadHealth, "progress" | "cause"> =
    latest === undefined ? { progress: "idle", cause: undefined } : healthOf(latest)
  const isOfLatestJob = progressOfLatestJob.has(progress)
  if (isOfLatestJob && latest !== undefined && cause !== undefined)
    return toJobHealth(progress, [`${latest.metadata.name}: ${cause}`])
  if (observation.cronJob.spec.suspend === true) return toJobHealth("suspended", [])
  return toJobHealth(isOfLatestJob ? progress : "idle", [])
}

/** Progress that a CronJob shares with its latest Job; with any other progress of the Job, the CronJob is idle. */
const progressOfLatestJob: ReadonlySet<Progress> = new Set(["failed", "blocked", "running"])
