import { compareByCreation } from "../../meta/objectOrder.ts"
import { podCounting } from "./jobObservation.ts"
import { timestampOf } from "../../meta/amounts/timestamps.ts"
import { trackingFinalizer } from "./jobPods.ts"
import { withFinalizer, withoutFinalizer } from "../../meta/deletion.ts"
import type { JobObservation } from "./jobObservation.ts"
import type { JobStatus } from "./jobTypes.ts"
import type { Pod } from "../../meta/objects.ts"

/**
 * The observation as the look's own writes change it: one look counts Pods, creates the next ones and ends the Job.
 * Source: pkg/controller/job/job_controller.go (syncJob).
 */
export const assumeStatus = (seen: JobObservation, status: JobStatus): JobObservation => ({
  ...seen,
  job: { ...seen.job, status }
})

export const assumeClaimed = (seen: JobObservation): JobObservation => ({
  ...seen,
  pods: [...seen.pods, ...seen.claims.adopt.map((pod) => withFinalizer(pod, trackingFinalizer))].sort(
    compareByCreation
  ),
  claims: { adopt: [], release: [] }
})

export const assumeReleased = (seen: JobObservation): JobObservation =>
  changePods(seen, podCounting(seen).withRemovableFinalizer, untrack)

/** A deleted Pod terminates, even one on no node: the next look sees that it is gone. */
export const assumeDeleted = (
  seen: JobObservation,
  pods: ReadonlyArray<Pod>,
  { countAsFailed }: { readonly countAsFailed: boolean }
): JobObservation => {
  const deletionTimestamp = timestampOf(seen.nowMillis)
  const terminate = (pod: Pod): Pod => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp } })
  return changePods(seen, pods, (pod) => terminate(countAsFailed ? pod : untrack(pod)))
}

const untrack = (pod: Pod): Pod => withoutFinalizer(pod, trackingFinalizer) as Pod

const changePods = (
  seen: JobObservation,
  changed: ReadonlyArray<Pod>,
  change: (pod: Pod) => Pod
): JobObservation => {
  const pods = new Set(changed)
  return { ...seen, pods: seen.pods.map((pod) => (pods.has(pod) ? change(pod) : pod)) }
}
