import { conditionOf } from "../../meta/conditions.ts"
import { isPodActive, isPodReady, isPodTerminating } from "../../pods/podState.ts"
import { isTerminating } from "../../meta/deletion.ts"
import { judgeFailure } from "./podFailurePolicy.ts"
import { memoizePerObservation } from "../../apps/memoizePerObservation.ts"
import { parseIndexSet } from "./indexSets.ts"
import { podEndMillis } from "./podEnds.ts"
import {
  indexFailuresBefore,
  completionIndexOf,
  isIndexed,
  hasBackoffLimitPerIndex,
  hasTrackingFinalizer
} from "./jobPods.ts"
import type { OwnershipChanges } from "../../apps/deploymentObservation.ts"
import type { IndexFailures } from "./jobPods.ts"
import type { Job } from "./jobTypes.ts"
import type { Pod } from "../../meta/objects.ts"

/**
 * Source: pkg/controller/job/job_controller.go (trackJobStatusAndRemoveFinalizers),
 * indexed_job_utils.go.
 */
export interface JobObservation {
  readonly job: Job
  /** Includes terminating and finished Pods. */
  readonly pods: ReadonlyArray<Pod>
  readonly claims: OwnershipChanges<Pod>
  /** Whether the ttl-after-finished controller runs. */
  readonly deletesExpired: boolean
  readonly nowMillis: number
}

export const activePods = memoizePerObservation(({ pods }: JobObservation): ReadonlyArray<Pod> =>
  pods.filter(isPodActive)
)

export const terminatingPods = memoizePerObservation(({ pods }: JobObservation): ReadonlyArray<Pod> =>
  pods.filter(isPodTerminating)
)

export const readyCount = (seen: JobObservation): number => activePods(seen).filter(isPodReady).length

export type OutcomeTarget = "SuccessCriteriaMet" | "FailureTarget"

/** The announced outcome, while the last Pods end. */
export const announcedOutcomeTarget = ({ status }: Job): OutcomeTarget | undefined =>
  (["SuccessCriteriaMet", "FailureTarget"] as const).find(
    (target) => conditionOf(status.conditions, target)?.status === "True"
  )

/**
 * With `podReplacementPolicy: Failed` a terminating Pod fails only at its end, unless the Job
 * fails.
 */
const failsOnlyAtEnd = (job: Job): boolean =>
  job.spec.podReplacementPolicy === "Failed" && announcedOutcomeTarget(job) !== "FailureTarget"

/** Running Pods lose their finalizer uncounted if the Job has succeeded or is being deleted. */
const releasesRunningPods = (job: Job): boolean =>
  isTerminating(job) || announcedOutcomeTarget(job) === "SuccessCriteriaMet"

const hasPodFailed = (job: Job, pod: Pod): boolean =>
  pod.status.phase === "Failed" ||
  (!failsOnlyAtEnd(job) && isTerminating(pod) && pod.status.phase !== "Succeeded")

/** Ended Pods that still have the tracking finalizer. */
interface EndedPods {
  readonly succeeded: ReadonlyArray<Pod>
  /** `failed` excludes the failures that `podFailurePolicy` ignores. */
  readonly failed: ReadonlyArray<Pod>
  readonly ignored: ReadonlyArray<Pod>
}

const endedPods = memoizePerObservation((seen: JobObservation): EndedPods => {
  const { job, pods } = seen
  const tracked = pods.filter(hasTrackingFinalizer)
  const failed = tracked.filter((pod) => hasPodFailed(job, pod))
  return {
    succeeded: tracked.filter(({ status }) => status.phase === "Succeeded"),
    failed: failed.filter((pod) => !isIgnored(job, pod)),
    ignored: failed.filter((pod) => isIgnored(job, pod))
  }
})

const isIgnored = (job: Job, pod: Pod): boolean => judgeFailure(job, pod).action === "Ignore"

export const succeededIndexes = memoizePerObservation((seen: JobObservation): ReadonlySet<number> => {
  const { job } = seen
  if (!isIndexed(job)) return noIndexes
  const { completions = 0 } = job.spec
  const storedIndexes = [...parseIndexSet(job.status.completedIndexes)].filter((index) => index < completions)
  return new Set([
    ...storedIndexes,
    ...endedPods(seen).succeeded.flatMap((pod) => completionIndexOf(job, pod) ?? [])
  ])
})

const noIndexes: ReadonlySet<number> = new Set()

/** Indexes that failed by `backoffLimitPerIndex` or `podFailurePolicy`. */
export const failedIndexes = memoizePerObservation((seen: JobObservation): ReadonlySet<number> => {
  const { job } = seen
  const { backoffLimitPerIndex, completions = 0 } = job.spec
  if (backoffLimitPerIndex === undefined) return noIndexes
  const storedIndexes = [...parseIndexSet(job.status.failedIndexes)].filter((index) => index < completions)
  // Pods that are deleted because the Job is over fail no index.
  if (announcedOutcomeTarget(job) !== undefined) return new Set(storedIndexes)
  const givenUp = endedPods(seen).failed.filter(
    (pod) =>
      judgeFailure(job, pod).action === "FailIndex" ||
      indexFailuresBefore(pod).counted >= backoffLimitPerIndex
  )
  const failed = [...storedIndexes, ...givenUp.flatMap((pod) => completionIndexOf(job, pod) ?? [])]
  return new Set(failed.filter((index) => !succeededIndexes(seen).has(index)))
})

/** This Pod's annotations hold the failures of its index until the next Pod takes them over. */
export const lastFailedPodByIndex = memoizePerObservation(
  (seen: JobObservation): ReadonlyMap<number, Pod> => {
    const { job } = seen
    const podsByIndex = new Map<number, Pod>()
    if (!hasBackoffLimitPerIndex(job) || announcedOutcomeTarget(job) !== undefined || isTerminating(job))
      return podsByIndex
    const running = new Set(activePods(seen).map((pod) => completionIndexOf(job, pod)))
    const { failed, ignored } = endedPods(seen)
    for (const pod of [...failed, ...ignored]) {
      const index = completionIndexOf(job, pod)
      const isOver =
        index === undefined || succeededIndexes(seen).has(index) || failedIndexes(seen).has(index)
      if (isOver || running.has(index)) continue
      const former = podsByIndex.get(index)
      if (former === undefined || isLaterFailure(former, pod)) podsByIndex.set(index, pod)
    }
    return podsByIndex
  }
)

const failuresOf = (pod: Pod): number => indexFailuresBefore(pod).counted + indexFailuresBefore(pod).ignored

const isLaterFailure = (former: Pod, pod: Pod): boolean =>
  failuresOf(former) <= failuresOf(pod) && podEndMillis(former) <= podEndMillis(pod)

export const failuresOfIndex = (seen: JobObservation, index: number): IndexFailures => {
  const last = lastFailedPodByIndex(seen).get(index)
  if (last === undefined) return { counted: 0, ignored: 0 }
  const { counted, ignored } = indexFailuresBefore(last)
  return isIgnored(seen.job, last) ? { counted, ignored: ignored + 1 } : { counted: counted + 1, ignored }
}

/**
 * Counts each Pod once: its uid goes to `status.uncountedTerminatedPods`, then its finalizer is removed,
 * then the count grows.
 */
export interface PodCounting {
  /** Ended Pods whose uid is not noted yet. */
  readonly newSucceeded: ReadonlyArray<Pod>
  readonly newFailed: ReadonlyArray<Pod>
  readonly ignored: ReadonlyArray<Pod>
  readonly withRemovableFinalizer: ReadonlyArray<Pod>
  /** Noted uids of Pods without the finalizer: they move into the counts. */
  readonly countableSucceededUids: ReadonlyArray<string>
  readonly countableFailedUids: ReadonlyArray<string>
}

export const podCounting = memoizePerObservation((seen: JobObservation): PodCounting => {
  const { job, pods } = seen
  const { succeeded: notedSucceeded = [], failed: notedFailed = [] } =
    job.status.uncountedTerminatedPods ?? {}
  const noted = new Set([...notedSucceeded, ...notedFailed])
  const isNoted = ({ metadata }: Pod): boolean => noted.has(metadata.uid)
  const tracked = new Set(pods.filter(hasTrackingFinalizer).map(({ metadata }) => metadata.uid))
  const lastFailedPods = new Set(lastFailedPodByIndex(seen).values())
  const ended = endedPods(seen)
  const hasEnded = (pod: Pod): boolean => pod.status.phase === "Succeeded" || hasPodFailed(job, pod)
  const recordedIndexes = parseIndexSet(job.status.completedIndexes)
  // An Indexed Job records successes in `status.completedIndexes`, without uids.
  const isRecorded = (pod: Pod): boolean =>
    isIndexed(job) ? recordedIndexes.has(completionIndexOf(job, pod) ?? Number.NaN) : isNoted(pod)
  const failed = ended.failed.filter((pod) => !lastFailedPods.has(pod))
  const ignored = ended.ignored.filter((pod) => !lastFailedPods.has(pod))
  return {
    ignored,
    newSucceeded: ended.succeeded.filter((pod) => !isRecorded(pod) && !isWithoutIndex(job, pod)),
    newFailed: failed.filter((pod) => !isNoted(pod)),
    withRemovableFinalizer: [
      ...ended.succeeded.filter((pod) => isRecorded(pod) || isWithoutIndex(job, pod)),
      ...failed.filter(isNoted),
      ...ignored,
      ...(releasesRunningPods(job) ? pods.filter((pod) => hasTrackingFinalizer(pod) && !hasEnded(pod)) : [])
    ],
    countableSucceededUids: notedSucceeded.filter((uid) => !tracked.has(uid)),
    countableFailedUids: notedFailed.filter((uid) => !tracked.has(uid))
  }
})

const isWithoutIndex = (job: Job, pod: Pod): boolean =>
  isIndexed(job) && completionIndexOf(job, pod) === undefined

/** Successes, including those that the status does not count yet. */
export const succeededCount = (seen: JobObservation): number => {
  const { job } = seen
  if (isIndexed(job)) return succeededIndexes(seen).size
  const { uncountedTerminatedPods: uncounted, succeeded = 0 } = job.status
  return succeeded + (uncounted?.succeeded ?? []).length + podCounting(seen).newSucceeded.length
}

export const failedCount = (seen: JobObservation): number => {
  const { uncountedTerminatedPods: uncounted, failed = 0 } = seen.job.status
  const { newFailed } = podCounting(seen)
  const lastFailedPods = [...lastFailedPodByIndex(seen).values()].filter((pod) => !isIgnored(seen.job, pod))
  return failed + (uncounted?.failed ?? []).length + newFailed.length + lastFailedPods.length
}

export const failJobMessage = (seen: JobObservation): string | undefined => {
  for (const pod of endedPods(seen).failed) {
    const { action, message } = judgeFailure(seen.job, pod)
    if (action === "FailJob") return message
  }
  return undefined
}
