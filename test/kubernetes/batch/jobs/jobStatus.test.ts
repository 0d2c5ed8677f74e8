import { describe, expect, it } from "vitest"
import { finishedEvents } from "../../../../src/kubernetes/batch/jobs/jobEvents.ts"
import {
  finishedCondition,
  jobResumedCondition,
  jobSuspendedCondition,
  targetCondition
} from "../../../../src/kubernetes/batch/jobs/jobConditions.ts"
import {
  finishedConditionType,
  isJobFinished,
  isManagedElsewhere
} from "../../../../src/kubernetes/batch/jobs/jobState.ts"
import { jobStatus } from "../../../../src/kubernetes/batch/jobs/jobStatus.ts"
import { aJob, aJobObservation, aTime } from "../../../builders.ts"
import { failed, indexed, succeeded } from "./endedPods.ts"
import type { JobConditionUpdate } from "../../../../src/kubernetes/batch/jobs/jobConditions.ts"
import type { JobOutcome } from "../../../../src/kubernetes/batch/jobs/jobOutcome.ts"
import type { JobPodOptions } from "../../../builders.ts"
import type { Job, JobStatus } from "../../../../src/kubernetes/batch/jobs/jobTypes.ts"

const complete: JobOutcome = { target: "SuccessCriteriaMet", reason: "CompletionsReached", message: "enough" }
const failing: JobOutcome = { target: "FailureTarget", reason: "DeadlineExceeded", message: "too late" }

interface Row {
  readonly why: string
  readonly spec?: Partial<Job["spec"]>
  readonly status?: JobStatus
  readonly pods?: ReadonlyArray<JobPodOptions>
  readonly update?: JobConditionUpdate
  readonly after: JobStatus
}

/** A look ten seconds after the start, at a Job that has started with it. */
const statusAfter = ({ spec = {}, status = {}, pods = [], update }: Omit<Row, "after">): JobStatus =>
  jobStatus(aJobObservation({ spec, status: { startTime: aTime(0), ...status } }, pods, 10), {
    conditionUpdate: update
  })

/** The status of a started Job without Pods. */
const empty: JobStatus = { startTime: aTime(0), terminating: 0, ready: 0, uncountedTerminatedPods: {} }

describe("the status of a Job (TestControllerSyncJob)", () => {
  it.each<Row>([
    { why: "omits counts of 0", after: empty },
    {
      why: "counts Pods that run, are ready, and terminate",
      spec: { podReplacementPolicy: "Failed" },
      pods: [{ ready: 0 }, {}, { terminating: true }],
      after: { ...empty, active: 2, ready: 1, terminating: 1 }
    },
    {
      why: "notes Pods that have ended before it counts them",
      status: { succeeded: 1, failed: 2 },
      pods: [succeeded, failed],
      after: {
        ...empty,
        succeeded: 1,
        failed: 2,
        uncountedTerminatedPods: { succeeded: ["uid-pod-0"], failed: ["uid-pod-1"] }
      }
    },
    {
      why: "keeps those that still have their finalizer, and counts the others",
      status: {
        succeeded: 1,
        failed: 2,
        uncountedTerminatedPods: {
          succeeded: ["uid-pod-0", "uid-gone"],
          failed: ["uid-pod-1", "uid-gone too"]
        }
      },
      pods: [succeeded, failed],
      after: {
        ...empty,
        succeeded: 2,
        failed: 3,
        uncountedTerminatedPods: { succeeded: ["uid-pod-0"], failed: ["uid-pod-1"] }
      }
    },
    {
      why: "of an Indexed Job lists the indexes, and notes failures alone",
      spec: indexed,
      status: { succeeded: 1, completedIndexes: "0" },
      pods: [
        { ...succeeded, index: 1 },
        { ...failed, index: 2 }
      ],
      after: {
        ...empty,
        succeeded: 2,
        completedIndexes: "0,1",
        uncountedTerminatedPods: { failed: ["uid-pod-1"] }
      }
    },
    {
      why: "lists failed indexes with backoffLimitPerIndex, even if there are none",
      spec: { ...indexed, backoffLimitPerIndex: 1 },
      after: { ...empty, failedIndexes: "" }
    },
    {
      why: "lists failed indexes",
      spec: { ...indexed, backoffLimitPerIndex: 0 },
      status: { failedIndexes: "3" },
      pods: [{ ...failed, index: 2 }],
      after: {
        ...empty,
        failedIndexes: "2,3",
        uncountedTerminatedPods: { failed: ["uid-pod-0"] }
      }
    },
    {
      why: "gets a condition that was not there",
      update: targetCondition(failing),
      after: {
        ...empty,
        conditions: [
          {
            type: "FailureTarget",
            status: "True",
            reason: "DeadlineExceeded",
            message: "too late",
            lastProbeTime: aTime(10),
            lastTransitionTime: aTime(10)
          } as object as NonNullable<JobStatus["conditions"]>[number]
        ]
      }
    }
  ])("$why", ({ after, ...row }) => {
    expect(statusAfter(row)).toEqual(after)
  })
})

describe("the startTime of a Job (TestSyncJobUpdate, TestControllerSyncJob)", () => {
  interface StartRow extends Omit<Row, "after"> {
    /** Seconds after the start of the test's world; the look is at 10. */
    readonly starts: number | undefined
  }
  it.each<StartRow>([
    { why: "is the first look", status: { startTime: undefined } as object, starts: 10 },
    { why: "stays", starts: 0 },
    {
      why: "is none while it is suspended from the beginning",
      spec: { suspend: true },
      status: { startTime: undefined } as object,
      starts: undefined
    },
    {
      why: "goes when it is suspended",
      spec: { suspend: true },
      update: jobSuspendedCondition,
      starts: undefined
    },
    { why: "is anew when it is resumed", update: jobResumedCondition, starts: 10 },
    { why: "stays with another condition", update: targetCondition(complete), starts: 0 }
  ])("$why", ({ starts, ...row }) => {
    const { startTime } = statusAfter(row)
    expect(startTime).toBe(starts === undefined ? undefined : aTime(starts))
    expect("startTime" in statusAfter(row)).toBe(starts !== undefined)
  })
})

describe("the conditions of a Job (TestEnsureJobConditions)", () => {
  const present = (status: string, type = "Suspended") => ({
    type,
    status,
    reason: "Before",
    message: "before",
    lastTransitionTime: aTime(1)
  })
  const text = (row: Omit<Row, "why" | "after">): string =>
    (statusAfter({ why: "", ...row }).conditions ?? [])
      .map(({ type, status, reason, lastTransitionTime }) =>
        [type, status, reason, lastTransitionTime === aTime(10) ? "now" : "before"].join(" ")
      )
      .join(", ")
  it.each([
    { why: "are none at first", row: {}, conditions: "" },
    {
      why: "stay without a new one",
      row: { status: { conditions: [present("True")] } },
      conditions: "Suspended True Before before"
    },
    {
      why: "change in their place",
      row: {
        status: { conditions: [present("True"), present("True", "Other")] },
        update: jobResumedCondition
      },
      conditions: "Suspended False JobResumed now, Other True Before before"
    },
    {
      why: "stay where nothing differs",
      row: {
        status: {
          conditions: [{ ...present("True"), reason: "JobSuspended", message: "Job suspended" }]
        },
        update: jobSuspendedCondition
      },
      conditions: "Suspended True JobSuspended before"
    },
    {
      why: "change with the reason",
      row: {
        status: { conditions: [{ ...present("True"), message: "Job suspended" }] },
        update: jobSuspendedCondition
      },
      conditions: "Suspended True JobSuspended now"
    },
    {
      why: "change with the message",
      row: {
        status: { conditions: [{ ...present("True"), reason: "JobSuspended" }] },
        update: jobSuspendedCondition
      },
      conditions: "Suspended True JobSuspended now"
    },
    {
      why: "come behind those of other types",
      row: { status: { conditions: [present("True", "Other")] }, update: finishedCondition(failing) },
      conditions: "Other True Before before, Failed True DeadlineExceeded now"
    }
  ])("$why", ({ row, conditions }) => {
    expect(text(row)).toBe(conditions)
  })

  it("tell what the Job will be, and then what it is", () => {
    const typesOf = (outcome: JobOutcome) => [targetCondition(outcome).type, finishedCondition(outcome).type]
    expect(typesOf(complete)).toEqual(["SuccessCriteriaMet", "Complete"])
    expect(typesOf(failing)).toEqual(["FailureTarget", "Failed"])
  })

  it("have the time of completion beside Complete, and not beside Failed", () => {
    expect(statusAfter({ why: "", update: finishedCondition(complete) }).completionTime).toBe(aTime(10))
    expect(statusAfter({ why: "", update: finishedCondition(failing) })).not.toHaveProperty("completionTime")
  })

  it.each([
    { why: "Complete", conditions: [present("True", "Complete")], type: "Complete" },
    { why: "Failed", conditions: [present("True", "Failed")], type: "Failed" },
    { why: "not by a condition that is False", conditions: [present("False", "Failed")], type: undefined },
    { why: "not by what is announced", conditions: [present("True", "FailureTarget")], type: undefined },
    { why: "not without conditions", conditions: undefined, type: undefined }
  ])("say that it has finished: $why (TestFinishedCondition)", ({ conditions, type }) => {
    const job = aJob({ status: conditions === undefined ? {} : { conditions } })
    expect(finishedConditionType(job)).toBe(type)
    expect(isJobFinished(job)).toBe(type !== undefined)
  })
})

describe("the Events at the end of a Job (recordJobFinished)", () => {
  const textsOf = (spec: Partial<Job["spec"]>, status: JobStatus, outcome: JobOutcome) =>
    finishedEvents(aJob({ spec, status }), outcome).map(({ eventType, reason }) => `${eventType} ${reason}`)
  it.each([
    {
      why: "tell why it has failed",
      spec: {},
      status: {},
      outcome: failing,
      events: ["Warning DeadlineExceeded"]
    },
    {
      why: "tell that it is complete",
      spec: {},
      status: {},
      outcome: complete,
      events: ["Normal Completed"]
    },
    {
      why: "warn of more successes than completions",
      spec: { completions: 2 },
      status: { succeeded: 3 },
      outcome: complete,
      events: ["Warning TooManySucceededPods", "Normal Completed"]
    },
    {
      why: "do not warn of as many",
      spec: { completions: 2 },
      status: { succeeded: 2 },
      outcome: complete,
      events: ["Normal Completed"]
    },
    {
      why: "do not warn of a work queue",
      spec: {},
      status: { succeeded: 3 },
      outcome: complete,
      events: ["Normal Completed"]
    },
    {
      why: "do not warn of none",
      spec: { completions: 0 },
      status: {},
      outcome: complete,
      events: ["Normal Completed"]
    }
  ])("$why", ({ spec, status, outcome, events }) => {
    expect(textsOf(spec, status, outcome)).toEqual(events)
  })
})

describe("a Job is left to another controller", () => {
  it.each([
    { why: "that managedBy names", spec: { managedBy: "example.com/queue" }, isElsewhere: true },
    {
      why: "not where it names this one",
      spec: { managedBy: "kubernetes.io/job-controller" },
      isElsewhere: false
    },
    { why: "not where it is not set", spec: {}, isElsewhere: false }
  ])("$why", ({ spec, isElsewhere }) => {
    expect(isManagedElsewhere(aJob({ spec }))).toBe(isElsewhere)
  })
})
