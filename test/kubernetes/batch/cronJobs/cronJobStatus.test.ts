import { describe, expect, it } from "vitest"
import {
  jobChangeEvents,
  unexpectedJobEvents
} from "../../../../src/kubernetes/batch/cronJobs/cronJobEvents.ts"
import {
  hasJobChanges,
  jobChanges,
  oldJobs
} from "../../../../src/kubernetes/batch/cronJobs/cronJobObservation.ts"
import { statusAfterChanges, withActiveJob } from "../../../../src/kubernetes/batch/cronJobs/cronJobStatus.ts"
import { draftScheduledJob } from "../../../../src/kubernetes/batch/cronJobs/scheduledJob.ts"
import {
  aCronJob,
  aCronJobObservation,
  aScheduledJob,
  aTemplate,
  aTime,
  startMillis
} from "../../../builders.ts"
import type { CronJobStatus } from "../../../../src/kubernetes/batch/cronJobs/cronJobTypes.ts"
import type { Job } from "../../../../src/kubernetes/batch/jobs/jobTypes.ts"

const listing = (...names: ReadonlyArray<string>) => ({
  active: names.map((name) => ({ kind: "Job", name, uid: `uid-${name}` }))
})

interface Row {
  readonly why: string
  readonly status?: CronJobStatus
  readonly jobs?: ReadonlyArray<Job>
  readonly events: ReadonlyArray<string>
  /** The names in `active`, and the last success in seconds after the start. */
  readonly after: readonly [active: string, lastSuccess?: number]
}

describe("what becomes of a CronJob's Jobs (TestControllerV2SyncCronJob)", () => {
  it.each<Row>([
    { why: "nothing, before the first", events: [], after: [""] },
    {
      why: "nothing, while it runs",
      status: listing("a"),
      jobs: [aScheduledJob("a")],
      events: [],
      after: ["a"]
    },
    {
      why: "a Job that is complete is active no more, and its success is noted",
      status: listing("a", "b"),
      jobs: [aScheduledJob("a", { ended: "Complete", completed: 9 }), aScheduledJob("b")],
      events: ["SawCompletedJob: Saw completed job: a, condition: Complete"],
      after: ["b", 9]
    },
    {
      why: "a Job that has failed is active no more",
      status: listing("a"),
      jobs: [aScheduledJob("a", { ended: "Failed" })],
      events: ["SawCompletedJob: Saw completed job: a, condition: Failed"],
      after: [""]
    },
    {
      why: "a Job that is gone is missed",
      status: listing("a"),
      events: ["MissingJob: Active job went missing: a"],
      after: [""]
    },
    {
      why: "another Job of the same name is not the one that is listed",
      status: listing("a"),
      jobs: [aScheduledJob("a", { uid: "uid-later", ended: "Failed" })],
      events: ["MissingJob: Active job went missing: a"],
      after: [""]
    },
    {
      why: "a success that was not listed is noted all the same",
      jobs: [aScheduledJob("a", { ended: "Complete", completed: 9 })],
      events: [],
      after: ["", 9]
    },
    {
      why: "the latest success counts",
      jobs: [
        aScheduledJob("a", { ended: "Complete", completed: 12 }),
        aScheduledJob("b", { ended: "Complete", completed: 9 })
      ],
      events: [],
      after: ["", 12]
    },
    {
      why: "an earlier success than the one in the status does not",
      status: { lastSuccessfulTime: aTime(20) },
      jobs: [aScheduledJob("a", { ended: "Complete", completed: 9 })],
      events: [],
      after: ["", 20]
    },
    {
      why: "nor does the same again",
      status: { lastSuccessfulTime: aTime(9) },
      jobs: [aScheduledJob("a", { ended: "Complete", completed: 9 })],
      events: [],
      after: ["", 9]
    },
    {
      why: "a failure is no success, even with a time of completion",
      jobs: [aScheduledJob("a", { ended: "Failed", completed: 9 })],
      events: [],
      after: [""]
    }
  ])("$why", ({ status = {}, jobs = [], events, after: [active, lastSuccess] }) => {
    const seen = aCronJobObservation({ status }, jobs)
    const after = statusAfterChanges(seen)
    expect(jobChangeEvents(seen).map(({ reason, message }) => `${reason}: ${message}`)).toEqual(events)
    expect((after.active ?? []).map(({ name }) => name).join(" ")).toBe(active)
    expect(after.lastSuccessfulTime).toBe(lastSuccess === undefined ? undefined : aTime(lastSuccess))
    const namesOf = (it: CronJobStatus) => (it.active ?? []).map(({ name }) => name).join(" ")
    const isChanged = namesOf(status) !== active || status.lastSuccessfulTime !== after.lastSuccessfulTime
    expect(hasJobChanges(seen)).toBe(isChanged)
  })

  it("finds no change where the status lists nothing", () => {
    expect(jobChanges(aCronJobObservation({}))).toEqual({
      finished: [],
      missing: [],
      lastSuccessfulTime: undefined
    })
  })

  it("omits active, where no Job is", () => {
    expect(statusAfterChanges(aCronJobObservation({ status: listing("a") }))).toEqual({})
  })
})

describe("a Job that the controller did not start", () => {
  it.each([
    { why: "is told of", status: {}, jobs: [aScheduledJob("by-hand")], names: ["by-hand"] },
    { why: "is not one that the status lists", status: listing("a"), jobs: [aScheduledJob("a")], names: [] },
    {
      why: "does not matter once it has ended",
      status: {},
      jobs: [aScheduledJob("a", { ended: "Failed" })],
      names: []
    }
  ])("$why", ({ status, jobs, names }) => {
    expect(unexpectedJobEvents(aCronJobObservation({ status }, jobs)).map(({ message }) => message)).toEqual(
      names.map((name) => `Saw a job that the controller did not create or forgot: ${name}`)
    )
  })
})

describe("the history of a CronJob (TestCleanupFinishedJobs)", () => {
  const jobs = [
    aScheduledJob("a", { ended: "Complete" }),
    aScheduledJob("b", { ended: "Failed" }),
    aScheduledJob("c", { ended: "Complete" }),
    aScheduledJob("d", { ended: "Failed" }),
    aScheduledJob("e", { ended: "Complete" }),
    aScheduledJob("f")
  ]
  interface HistoryRow {
    readonly why: string
    readonly successes?: number
    readonly failures?: number
    readonly jobs?: ReadonlyArray<Job>
    readonly old: string
  }
  it.each<HistoryRow>([
    { why: "keeps the newest successes", successes: 1, failures: 9, old: "a c" },
    { why: "keeps the newest failures", successes: 9, failures: 1, old: "b" },
    { why: "keeps as many as the limit", successes: 3, failures: 2, old: "" },
    {
      why: "keeps none with limits of 0, but the Job that runs",
      successes: 0,
      failures: 0,
      old: "a c e b d"
    },
    { why: "keeps all without limits", old: "" },
    { why: "may limit failures alone", failures: 0, old: "b d" },
    {
      why: "does not count a Job that is being deleted",
      successes: 1,
      jobs: [
        aScheduledJob("a", { ended: "Complete", terminating: true }),
        aScheduledJob("b", { ended: "Complete" })
      ],
      old: ""
    }
  ])("$why", ({ successes, failures, jobs: given = jobs, old }) => {
    const spec = {
      ...(successes === undefined ? {} : { successfulJobsHistoryLimit: successes }),
      ...(failures === undefined ? {} : { failedJobsHistoryLimit: failures })
    }
    const names = oldJobs(aCronJobObservation({ spec }, given)).map(({ metadata }) => metadata.name)
    expect(names.join(" ")).toBe(old)
  })
})

describe("a Job that has started", () => {
  const job = aScheduledJob("b")
  const reference = {
    kind: "Job",
    namespace: "shop",
    name: "b",
    uid: "uid-b",
    apiVersion: "batch/v1",
    resourceVersion: "7"
  }
  it.each([
    { why: "is the first", before: {}, active: [reference] },
    { why: "comes behind the others", before: listing("a"), active: [...listing("a").active, reference] }
  ])("is listed as active, with its time: $why", ({ before, active }) => {
    expect(withActiveJob(before, job, startMillis + 60_000)).toEqual({ active, lastScheduleTime: aTime(60) })
  })

  it("is listed once", () => {
    const before = listing("b")
    expect(withActiveJob(before, job, startMillis)).toBe(before)
  })
})

describe("the Job for a scheduled time (TestGetJobFromTemplate2)", () => {
  const jobTemplate = { spec: { template: aTemplate("v1"), completions: 2 } }
  const atStart = { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:00:00Z" }
  it("has the labels and annotations of the template, its time, and its owner", () => {
    const metadata = { labels: { a: "b" }, annotations: { x: "y" } }
    const cronJob = aCronJob({ spec: { jobTemplate: { ...jobTemplate, metadata } } })
    expect(draftScheduledJob(cronJob, startMillis)).toEqual({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name: "nightly-29453760",
        namespace: "shop",
        labels: { a: "b" },
        annotations: { x: "y", ...atStart },
        ownerReferences: [
          {
            apiVersion: "batch/v1",
            kind: "CronJob",
            name: "nightly",
            uid: "uid-nightly",
            controller: true,
            blockOwnerDeletion: true
          }
        ]
      },
      spec: jobTemplate.spec
    })
  })

  it("has its time alone, where the template has no metadata", () => {
    const { metadata } = draftScheduledJob(aCronJob({ spec: { jobTemplate } }), startMillis)
    expect(metadata.annotations).toEqual(atStart)
    expect(metadata).not.toHaveProperty("labels")
  })

  it("has no namespace where its CronJob has none", () => {
    const cronJob = aCronJob()
    const { namespace: _, ...metadata } = cronJob.metadata
    expect(draftScheduledJob({ ...cronJob, metadata }, startMillis).metadata).not.toHaveProperty("namespace")
  })

  it("tells its time on the clock of the time zone", () => {
    const cronJob = aCronJob({ spec: { jobTemplate, timeZone: "Asia/Kolkata" } })
    expect(draftScheduledJob(cronJob, startMillis).metadata.annotations).toEqual({
      "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T05:30:00+05:30"
    })
  })
})
