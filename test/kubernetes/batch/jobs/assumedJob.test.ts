import { describe, expect, it } from "vitest"
import {
  assumeClaimed,
  assumeDeleted,
  assumeReleased,
  assumeStatus
} from "../../../../src/kubernetes/batch/jobs/assumedJob.ts"
import { aJobObservation, aJobPod } from "../../../builders.ts"
import { jobStatus } from "../../../../src/kubernetes/batch/jobs/jobStatus.ts"
import type { JobObservation } from "../../../../src/kubernetes/batch/jobs/jobObservation.ts"

const countsOf = (seen: JobObservation) => {
  const { active = 0, succeeded = 0, failed = 0, terminating, uncountedTerminatedPods } = jobStatus(seen)
  return { active, succeeded, failed, terminating, uncounted: uncountedTerminatedPods }
}

const noted = (seen: JobObservation): JobObservation => assumeStatus(seen, jobStatus(seen))

describe("what a Job becomes by the writes of its own look", () => {
  const status = { startTime: "2026-01-01T00:00:00Z" }

  it("counts a Pod that has ended once its uid is noted and its finalizer is removed", () => {
    const seen = noted(aJobObservation({ status }, [{ phase: "Succeeded" }, {}]))
    expect(countsOf(seen)).toMatchObject({ active: 1, succeeded: 0 })
    expect(countsOf(assumeReleased(seen))).toMatchObject({ active: 1, succeeded: 1, uncounted: {} })
  })

  it("lets deleted Pods terminate, which count as failed only if they keep their finalizer", () => {
    const seen = aJobObservation({ status }, [{}, {}])
    const failing = assumeReleased(noted(assumeDeleted(seen, seen.pods, { countAsFailed: true })))
    expect(countsOf(failing)).toMatchObject({ active: 0, failed: 2, terminating: 2 })
    const surplus = assumeDeleted(seen, seen.pods.slice(1), { countAsFailed: false })
    expect(countsOf(surplus)).toMatchObject({ active: 1, failed: 0, terminating: 1, uncounted: {} })
  })

  it("has the Pods that it adopts", () => {
    const seen = aJobObservation({ status }, [{}])
    const adopting = { ...seen, claims: { adopt: [aJobPod({ name: "stray" })], release: [] } }
    expect(countsOf(assumeClaimed(adopting))).toMatchObject({ active: 2 })
    expect(assumeClaimed(adopting).claims).toEqual({ adopt: [], release: [] })
  })
})
