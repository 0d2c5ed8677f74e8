import { memoizePerObservation } from "../../apps/memoizePerObservation.ts"
import { activePods, failuresOfIndex, lastFailedPodByIndex, terminatingPods } from "./jobObservation.ts"
import {
  compareForDeletion,
  draftJobPod,
  completionIndexOf,
  isIndexed,
  hasBackoffLimitPerIndex
} from "./jobPods.ts"
import { pendingIndexes, wantedPodCount } from "./jobOutcome.ts"
import { jobBackOffMillis } from "./jobBackOff.ts"
import { podEndMillis } from "./podEnds.ts"
import type { JobObservation } from "./jobObservation.ts"
import type { JobPodDraft } from "./jobPods.ts"
import type { Pod } from "../../meta/objects.ts"

/** Source: pkg/controller/job/job_controller.go (manageJob), indexed_job_utils.go. */

/** How long the controller collects changes of a Job's Pods and status before it looks. */
export const syncJobBatchMillis = 1000

export const jobRetryDelayMillis = (failedAttempts: number): number =>
  Math.min(60_000, 1000 * 2 ** failedAttempts)

/** Limit of Pods created or deleted after one look. */
const jobPodBurstMax = 500

/** The Pods to delete, duplicates of an index first. */
export const surplusJobPods = memoizePerObservation((seen: JobObservation): ReadonlyArray<Pod> => {
  const active = [...activePods(seen)].sort(compareForDeletion)
  const surplusCount = Math.max(0, active.length - wantedPodCount(seen))
  if (!isIndexed(seen.job)) return active.slice(0, Math.min(surplusCount, jobPodBurstMax))
  const stayingByIndex = new Map<number, Pod>()
  const surplus: Array<Pod> = []
  // The last Pod in the deletion order keeps its index.
  for (const pod of active.toReversed()) {
    const index = completionIndexOf(seen.job, pod)
    if (index === undefined || stayingByIndex.has(index)) surplus.push(pod)
    else stayingByIndex.set(index, pod)
  }
  const others = active.filter((pod) => !surplus.includes(pod))
  return [...surplus, ...others.slice(0, Math.max(0, surplusCount - surplus.length))].slice(0, jobPodBurstMax)
})

const waitsForTerminatingPods = ({ job }: JobObservation): boolean =>
  job.spec.podReplacementPolicy === "Failed"

/** With `backoffLimitPerIndex` each index has its own back-off. */
export interface MissingJobPods {
  readonly dueNow: ReadonlyArray<JobPodDraft>
  /** In Unix milliseconds; undefined if no Pod waits. */
  readonly nextMillis: number | undefined
}

/** `backOffEndMillis`: when the Job may replace failed Pods. */
export const missingJobPods = (seen: JobObservation, backOffEndMillis: number): MissingJobPods => {
  const { job, nowMillis } = seen
  const terminatingCount = waitsForTerminatingPods(seen) ? terminatingPods(seen).length : 0
  const count = Math.min(wantedPodCount(seen) - terminatingCount - activePods(seen).length, jobPodBurstMax)
  if (count <= 0) return { dueNow: [], nextMillis: undefined }
  if (!hasBackoffLimitPerIndex(job) && backOffEndMillis > nowMillis)
    return { dueNow: [], nextMillis: backOffEndMillis }
  if (!isIndexed(job))
    return { dueNow: Array.from({ length: count }, () => draftJobPod(job)), nextMillis: undefined }
  const podsWithIndex = waitsForTerminatingPods(seen)
    ? [...activePods(seen), ...terminatingPods(seen)]
    : activePods(seen)
  const takenIndexes = new Set(podsWithIndex.flatMap((pod) => completionIndexOf(job, pod) ?? []))
  // The lowest indexes come first, even if they have to wait.
  const pending = pendingIndexes(seen, takenIndexes).slice(0, count)
  const dueMillis = (index: number): number =>
    hasBackoffLimitPerIndex(job) ? indexDueMillis(seen, index) : nowMillis
  const due = pending.filter((index) => dueMillis(index) <= nowMillis)
  return {
    dueNow: due.map((index) =>
      draftJobPod(job, {
        index,
        failures: hasBackoffLimitPerIndex(job) ? failuresOfIndex(seen, index) : undefined
      })
    ),
    nextMillis: due.length > 0 || pending.length === 0 ? undefined : Math.min(...pending.map(dueMillis))
  }
}

const indexDueMillis = (seen: JobObservation, index: number): number => {
  const lastPod = lastFailedPodByIndex(seen).get(index)
  if (lastPod === undefined) return seen.nowMillis
  const { counted, ignored } = failuresOfIndex(seen, index)
  return podEndMillis(lastPod) + jobBackOffMillis(counted + ignored)
}
