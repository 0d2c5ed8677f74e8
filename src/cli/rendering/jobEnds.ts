import { deletedOutcome, appliedJobOutcome } from "./workloadOutcome.ts"
import { isJobFinished } from "../../kubernetes/batch/jobs/jobState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Change } from "../../store/objectStore.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { AppliedWorkload, WorkloadOutcome } from "./workloadOutcome.ts"

/** Reports each Job when it ends: ttlSecondsAfterFinished may delete it before the other rollouts end. */
export interface JobEnds {
  readonly follow: (appliedJob: AppliedWorkload, job: Job) => void
  readonly onChange: (change: Change) => void
}

/** Calls `onEnd` again when a paused Job ends. */
export const makeJobEnds = (
  onEnd: (appliedJob: AppliedWorkload, outcome: WorkloadOutcome) => void
): JobEnds => {
  const followedByUid = new Map<
    string,
    { readonly appliedJob: AppliedWorkload; lastOutcome: WorkloadOutcome["outcome"] }
  >()

  const observe = (uid: string, outcomeOf: () => WorkloadOutcome): void => {
    const entry = followedByUid.get(uid)
    if (entry === undefined || finalOutcomes.includes(entry.lastOutcome)) return
    const workloadOutcome = outcomeOf()
    const { outcome } = workloadOutcome
    if (outcome === entry.lastOutcome) return
    entry.lastOutcome = outcome
    if (outcome !== "waiting") onEnd(entry.appliedJob, workloadOutcome)
  }

  return {
    follow: (appliedJob, job) => {
      followedByUid.set(appliedJob.uid, { appliedJob, lastOutcome: "waiting" })
      observe(appliedJob.uid, () => appliedJobOutcome(job))
    },
    onChange: ({ resource, type, object }) => {
      if (resource !== resources.jobs) return
      const job = object as Job
      const isLost = type === "DELETED" && !isJobFinished(job)
      observe(job.metadata.uid, () => (isLost ? deletedOutcome : appliedJobOutcome(job)))
    }
  }
}

/** A Job that is `paused` (suspended) or `delegated` (by `managedBy`) may still end. */
export const finalOutcomes: ReadonlyArray<string> = ["complete", "failed", "deleted", "superseded"]
