import { deletedOutcome, startedJobOutcome } from "./startedOutcome.ts"
import { isJobFinished } from "../../kubernetes/batch/jobs/jobState.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import type { Change } from "../../store/objectStore.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { StartedObject, StartedOutcome } from "./startedOutcome.ts"

/** Reports each Job at its end: ttlSecondsAfterFinished may delete it before the stage is over. */
export interface JobEnds {
  readonly follow: (started: StartedObject, job: Job) => void
  readonly onChange: (change: Change) => void
}

/** Calls `onEnd` again when a paused Job ends. */
export const makeJobEnds = (onEnd: (started: StartedObject, outcome: StartedOutcome) => void): JobEnds => {
  const followedByUid = new Map<
    string,
    { readonly started: StartedObject; lastOutcome: StartedOutcome["outcome"] }
  >()

  const observe = (uid: string, outcomeOf: () => StartedOutcome): void => {
    const entry = followedByUid.get(uid)
    if (entry === undefined || finalOutcomes.includes(entry.lastOutcome)) return
    const startedOutcome = outcomeOf()
    const { outcome } = startedOutcome
    if (outcome === entry.lastOutcome) return
    entry.lastOutcome = outcome
    if (outcome !== "waiting") onEnd(entry.started, startedOutcome)
  }

  return {
    follow: (started, job) => {
      followedByUid.set(started.uid, { started, lastOutcome: "waiting" })
      observe(started.uid, () => startedJobOutcome(job))
    },
    onChange: ({ resource, type, object }) => {
      if (resource !== resources.jobs) return
      const job = object as Job
      const isLost = type === "DELETED" && !isJobFinished(job)
      observe(job.metadata.uid, () => (isLost ? deletedOutcome : startedJobOutcome(job)))
    }
  }
}

/** A `paused` or `delegated` Job may still end. */
export const finalOutcomes: ReadonlyArray<string> = ["complete", "failed", "deleted", "superseded"]
