import { describe, expect, it } from "vitest"
import { missingJobPods, surplusJobPods } from "../../../../src/kubernetes/batch/jobs/jobPlan.ts"
import { wantedPodCount } from "../../../../src/kubernetes/batch/jobs/jobOutcome.ts"
import { aJobObservation, startMillis } from "../../../builders.ts"
import { endedAt, failed, observationOfRow, succeeded } from "./endedPods.ts"
import type { JobPodOptions } from "../../../builders.ts"
import type { JobRow } from "./endedPods.ts"

const ready: JobPodOptions = { ready: 0 }
const pending: JobPodOptions = { phase: "Pending" }
const stopping: JobPodOptions = { ready: 0, terminating: true }

describe("how many Pods of a Job should be active (TestControllerSyncJob)", () => {
  it.each<JobRow & { readonly wanted: number }>([
    { why: "as many as parallelism", spec: { parallelism: 3, completions: 9 }, wanted: 3 },
    { why: "no more than are left to do", spec: { parallelism: 3, completions: 2 }, wanted: 2 },
    {
      why: "one fewer after a success",
      spec: { parallelism: 3, completions: 3 },
      pods: [succeeded],
      wanted: 2
    },
    {
      why: "none after more successes than completions",
      spec: { parallelism: 3, completions: 3 },
      status: { succeeded: 5 },
      wanted: 0
    },
    { why: "none with a parallelism of 0", spec: { parallelism: 0, completions: 3 }, wanted: 0 },
    { why: "of a work queue as many as parallelism", spec: { parallelism: 3 }, pods: [ready], wanted: 3 },
    {
      why: "of a work queue those that run, after a success",
      spec: { parallelism: 3 },
      pods: [succeeded, ready],
      wanted: 1
    },
    {
      why: "and no more than parallelism, if it is lowered then, as release 1.20 has it",
      spec: { parallelism: 1 },
      pods: [succeeded, ready, ready],
      wanted: 1
    }
  ])("$why", ({ wanted, ...row }) => {
    expect(wantedPodCount(observationOfRow(row))).toBe(wanted)
  })
})

describe("the Pods that a Job deletes (TestManageJob, TestActivePodsForRemoval)", () => {
  const indexed = { completionMode: "Indexed", completions: 3, parallelism: 3 } as const
  it.each<JobRow & { readonly surplus: string }>([
    { why: "none while there are as many as wanted", spec: { parallelism: 1 }, pods: [ready], surplus: "" },
    {
      why: "those that have done the least",
      spec: { parallelism: 1 },
      pods: [ready, pending, { ready: false }],
      surplus: "pod-1 pod-2"
    },
    {
      why: "no second one while the first terminates",
      spec: { parallelism: 2, completions: 9, podReplacementPolicy: "Failed" },
      pods: [ready, ready, stopping],
      surplus: ""
    },
    {
      why: "of an index all but the one that has done the most",
      spec: indexed,
      pods: [
        { ...pending, index: 0 },
        { ...ready, index: 0 },
        { ...ready, index: 1 }
      ],
      surplus: "pod-0"
    },
    {
      why: "those without an index of the Job",
      spec: indexed,
      pods: [ready, { ...ready, index: 3 }, { ...ready, index: "x" }, { ...ready, index: 2 }],
      surplus: "pod-0 pod-1 pod-2"
    },
    {
      why: "those with an index twice, then others until enough are gone",
      spec: { ...indexed, parallelism: 1 },
      pods: [
        { ...ready, index: 0 },
        { ...pending, index: 0 },
        { ...pending, index: 1 },
        { ...ready, index: 2 }
      ],
      surplus: "pod-1 pod-2 pod-0"
    },
    {
      why: "an index that runs twice, although there are fewer Pods than wanted",
      spec: indexed,
      pods: [
        { ...ready, index: 0 },
        { ...pending, index: 0 }
      ],
      surplus: "pod-1"
    }
  ])("$why", ({ surplus, ...row }) => {
    const names = surplusJobPods(observationOfRow(row)).map(({ metadata }) => metadata.name)
    expect(names.toSorted().join(" ")).toBe(surplus.split(" ").toSorted().join(" "))
  })

  it.each([
    { why: "of a Job without indexes", spec: { parallelism: 0 } },
    { why: "of an Indexed Job", spec: { ...indexed, completions: 700, parallelism: 0 } }
  ])("are 500 at most after one look: $why", ({ spec }) => {
    const pods = Array.from({ length: 501 }, (_, index) => ({ ...pending, index }))
    expect(surplusJobPods(aJobObservation({ spec }, pods))).toHaveLength(500)
  })
})

interface MissingRow extends JobRow {
  /** Seconds after the start. */
  readonly now?: number
  /** End of the Job's back-off, in seconds after the start. */
  readonly backOffEnd?: number
  /** The indexes of the new Pods, or `-` for a Pod without; and when the next is due, in seconds after the start. */
  readonly created: string
}

const missingText = ({ now = 0, backOffEnd = 0, ...row }: MissingRow): string => {
  const { dueNow, nextMillis } = missingJobPods(observationOfRow(row, now), startMillis + backOffEnd * 1000)
  const names = dueNow.map(
    ({ metadata }) => metadata.annotations?.["batch.kubernetes.io/job-completion-index"] ?? "-"
  )
  return [...names, ...(nextMillis === undefined ? [] : [`at ${(nextMillis - startMillis) / 1000}`])].join(
    " "
  )
}

describe("the Pods that a Job creates (TestManageJob, TestFirstPendingIndexes)", () => {
  const indexed = { completionMode: "Indexed", completions: 5, parallelism: 2 } as const
  it.each<MissingRow>([
    { why: "as many as are wanted", spec: { parallelism: 2 }, created: "- -" },
    { why: "as many as are missing", spec: { parallelism: 3 }, pods: [ready], created: "- -" },
    {
      why: "none when none is missing, and nothing waits for the back-off",
      spec: { parallelism: 1 },
      pods: [ready],
      backOffEnd: 10,
      created: ""
    },
    { why: "none when none is missing", spec: { parallelism: 1 }, pods: [ready], created: "" },
    {
      why: "in place of one that terminates",
      spec: { parallelism: 2 },
      pods: [ready, stopping],
      created: "-"
    },
    {
      why: "with podReplacementPolicy Failed none before it has ended",
      spec: { parallelism: 2, podReplacementPolicy: "Failed" },
      pods: [ready, stopping],
      created: ""
    },
    {
      why: "none before the back-off ends",
      spec: { parallelism: 2 },
      backOffEnd: 10,
      now: 9,
      created: "at 10"
    },
    { why: "when the back-off ends", spec: { parallelism: 2 }, backOffEnd: 10, now: 10, created: "- -" },
    { why: "the lowest indexes first", spec: indexed, created: "0 1" },
    {
      why: "indexes that neither run nor have succeeded",
      spec: { ...indexed, parallelism: 3 },
      status: { completedIndexes: "0" },
      pods: [{ ...ready, index: 2 }],
      created: "1 3"
    },
    {
      why: "none where every index runs or has succeeded",
      spec: { ...indexed, completions: 2, parallelism: 2 },
      status: { completedIndexes: "0" },
      pods: [{ ...ready, index: 1 }],
      created: ""
    },
    {
      why: "an index whose Pod terminates, at once",
      spec: { ...indexed, parallelism: 1 },
      pods: [{ ...stopping, index: 0 }],
      created: "0"
    },
    {
      why: "with podReplacementPolicy Failed another index than the one whose Pod terminates",
      spec: { ...indexed, podReplacementPolicy: "Failed" },
      pods: [{ ...stopping, index: 0 }],
      created: "1"
    },
    {
      why: "an index whose Pod has failed",
      spec: { ...indexed, parallelism: 1 },
      pods: [{ ...failed, index: 0 }],
      created: "0"
    }
  ])("$why", (row) => {
    expect(missingText(row)).toBe(row.created)
  })

  it.each([
    { why: "of a Job without indexes", spec: { parallelism: 501 } },
    { why: "of an Indexed Job", spec: { ...indexed, completions: 700, parallelism: 600 } }
  ])("are 500 at most after one look: $why", ({ spec }) => {
    expect(missingJobPods(aJobObservation({ spec }), startMillis).dueNow).toHaveLength(500)
  })
})

describe("the back-off of an index with backoffLimitPerIndex (TestSyncJobWithJobBackoffLimitPerIndex)", () => {
  const perIndex = {
    completionMode: "Indexed",
    completions: 3,
    parallelism: 2,
    backoffLimitPerIndex: 9
  } as const
  const failedIndex = (index: number, second: number, before: readonly [number, number]): JobPodOptions => ({
    phase: "Failed",
    index,
    failuresBefore: before,
    status: endedAt(second)
  })
  it.each<MissingRow>([
    {
      why: "the index waits, and no other one takes its place",
      spec: perIndex,
      pods: [failedIndex(0, 5, [0, 0])],
      now: 5,
      created: "1"
    },
    {
      why: "the index that has failed comes ten seconds later",
      spec: perIndex,
      pods: [{ ...ready, index: 1 }, failedIndex(0, 5, [0, 0])],
      now: 14,
      created: "at 15"
    },
    {
      why: "and then it is due",
      spec: perIndex,
      pods: [{ ...ready, index: 1 }, failedIndex(0, 5, [0, 0])],
      now: 15,
      created: "0"
    },
    {
      why: "its third failure makes it wait for forty seconds, ignored ones included",
      spec: perIndex,
      pods: [{ ...ready, index: 1 }, failedIndex(0, 5, [1, 1])],
      now: 15,
      created: "at 45"
    },
    {
      why: "of several the first that is due tells when to look again",
      spec: perIndex,
      pods: [failedIndex(0, 7, [0, 0]), failedIndex(1, 6, [0, 0])],
      now: 8,
      created: "at 16"
    },
    {
      why: "an index that has failed for good gets no Pod",
      spec: perIndex,
      status: { failedIndexes: "0", completedIndexes: "2" },
      pods: [{ ...ready, index: 1 }],
      created: ""
    },
    {
      why: "the Job's own back-off does not matter",
      spec: perIndex,
      backOffEnd: 99,
      created: "0 1"
    }
  ])("$why", (row) => {
    expect(missingText(row)).toBe(row.created)
  })

  it("passes the failures of an index on to its next Pod", () => {
    const seen = observationOfRow({ why: "", spec: perIndex, pods: [failedIndex(0, 5, [1, 2])] }, 600)
    expect(missingJobPods(seen, 0).dueNow.map(({ metadata }) => metadata.annotations)).toEqual([
      {
        "batch.kubernetes.io/job-completion-index": "0",
        "batch.kubernetes.io/job-index-failure-count": "2",
        "batch.kubernetes.io/job-index-ignored-failure-count": "2"
      },
      {
        "batch.kubernetes.io/job-completion-index": "1",
        "batch.kubernetes.io/job-index-failure-count": "0"
      }
    ])
  })
})
