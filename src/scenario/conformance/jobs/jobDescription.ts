import { controllerOf } from "../../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../../kubernetes/meta/deletion.ts"
import { countSimilarEvents } from "../similarEvents.ts"
import { countByText } from "../countByText.ts"
import { podCategory } from "../movedPods.ts"
import { resources } from "../../../kubernetes/meta/kinds.ts"
import type { Cluster } from "../../../cluster/cluster.ts"
import type { NormalizedEvent } from "../../../kubernetes/meta/normalizeEvent.ts"
import type { Job } from "../../../kubernetes/batch/jobs/jobTypes.ts"
import type { Pod } from "../../../kubernetes/meta/objects.ts"
import type { PodCategory } from "../movedPods.ts"
import type { UpstreamStep } from "../upstreamWorkload.ts"

export const recordedJobName = "j"

export type JobPodCategory = PodCategory | "succeeded"

export const jobPodCategory = (pod: Pod): JobPodCategory =>
  !isTerminating(pod) && pod.status.phase === "Succeeded" ? "succeeded" : podCategory(pod)

export const describeJobCluster = (
  { view }: Cluster["Service"],
  events: ReadonlyArray<NormalizedEvent>,
  expected: UpstreamStep["then"]
): Readonly<Record<string, unknown>> => {
  const job = view.get(resources.jobs, `default/${recordedJobName}`)
  const pods = [...view.all(resources.pods)]
  return {
    job: job === undefined ? null : describeJob(job),
    pods: countByText(pods.map(jobPodCategory)),
    orphans: pods.filter((pod) => controllerOf(pod) === undefined).length,
    ...("events" in expected ? { events: countSimilarEvents(events, recordedJobName) } : {})
  }
}

const recordedConditions: ReadonlySet<string> = new Set(["Complete", "Failed"])

const describeJob = (job: Job): object => {
  if (isTerminating(job)) return { terminating: true }
  const { active = 0, succeeded = 0, failed = 0, conditions = [] } = job.status
  return {
    status: { active, succeeded, failed },
    conditions: conditions
      .filter(({ type }) => recordedConditions.has(type))
      .map(({ type, status, reason, message }) =>
        // Releases give Complete different reasons.
        type === "Complete" ? { type, status } : { type, status, reason, message }
      )
  }
}
