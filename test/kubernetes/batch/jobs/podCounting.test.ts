import { describe, expect, it } from "vitest"
import {
  failedCount,
  podCounting,
  readyCount,
  succeededCount,
  succeededIndexes
} from "../../../../src/kubernetes/batch/jobs/jobObservation.ts"
import {
  announced,
  failed,
  ignored,
  ignoring,
  indexed,
  listedIndexes,
  observationOfRow,
  perIndex,
  succeeded
} from "./endedPods.ts"
import type { JobPodOptions } from "../../../builders.ts"
import type { JobRow } from "./endedPods.ts"
import type { Pod } from "../../../../src/kubernetes/meta/objects.ts"

const terminating: JobPodOptions = { terminating: true }

/** `+` a new success, `-` a new failure, `~` an ignored failure, `free` a Pod whose finalizer may go. */
const countingText = (row: JobRow): string => {
  const seen = observationOfRow(row)
  const {
    newSucceeded,
    newFailed,
    ignored: ignoredPods,
    withRemovableFinalizer,
    ...released
  } = podCounting(seen)
  const names = (sign: string, pods: ReadonlyArray<Pod>) => pods.map((pod) => `${sign}${pod.metadata.name}`)
  return [
    ...names("+", newSucceeded),
    ...names("-", newFailed),
    ...names("~", ignoredPods),
    ...names("free ", withRemovableFinalizer),
    ...released.countableSucceededUids.map((uid) => `counted ${uid}`),
    ...released.countableFailedUids.map((uid) => `counted failure ${uid}`)
  ].join(", ")
}

describe("a Pod is counted once (TestTrackJobStatusAndRemoveFinalizers, TestGetNewFinishedPods)", () => {
  it.each<JobRow & { readonly counting: string }>([
    { why: "a Pod that runs is not counted", pods: [{}], counting: "" },
    { why: "one that has succeeded is noted first", pods: [succeeded], counting: "+pod-0" },
    { why: "one that has failed too", pods: [failed], counting: "-pod-0" },
    {
      why: "one that is noted may lose its finalizer",
      pods: [succeeded, failed],
      status: { uncountedTerminatedPods: { succeeded: ["uid-pod-0"], failed: ["uid-pod-1"] } },
      counting: "free pod-0, free pod-1"
    },
    {
      why: "one that is noted and has no finalizer is counted",
      pods: [
        { ...succeeded, hasTrackingFinalizer: false },
        { ...failed, hasTrackingFinalizer: false }
      ],
      status: { uncountedTerminatedPods: { succeeded: ["uid-pod-0"], failed: ["uid-pod-1"] } },
      counting: "counted uid-pod-0, counted failure uid-pod-1"
    },
    {
      why: "one that is noted and gone is counted",
      status: { uncountedTerminatedPods: { succeeded: ["uid-a"], failed: ["uid-b"] } },
      counting: "counted uid-a, counted failure uid-b"
    },
    {
      why: "one without a finalizer has been counted",
      pods: [{ ...succeeded, hasTrackingFinalizer: false }],
      counting: ""
    },
    { why: "a Pod that is being deleted has failed", pods: [terminating], counting: "-pod-0" },
    {
      why: "a Pod that is being deleted and has succeeded has not failed",
      pods: [{ ...succeeded, terminating: true }],
      counting: "+pod-0"
    },
    {
      why: "with podReplacementPolicy Failed a Pod that is being deleted may still succeed",
      spec: { podReplacementPolicy: "Failed" },
      pods: [terminating, failed],
      counting: "-pod-1"
    },
    {
      why: "unless the Job fails",
      spec: { podReplacementPolicy: "Failed" },
      status: announced("FailureTarget"),
      pods: [terminating],
      counting: "-pod-0"
    },
    {
      why: "a failure that podFailurePolicy ignores is not noted",
      spec: ignoring,
      pods: [ignored, failed],
      counting: "-pod-1, ~pod-0, free pod-0"
    },
    {
      why: "of a Job that succeeds, Pods that run lose their finalizer",
      status: announced("SuccessCriteriaMet"),
      pods: [{}, failed, { hasTrackingFinalizer: false }],
      counting: "-pod-1, free pod-0"
    },
    {
      why: "of a Job that is being deleted as well",
      deleted: true,
      pods: [{}, succeeded, { hasTrackingFinalizer: false }],
      counting: "+pod-1, free pod-0"
    },
    { why: "of a Job that fails they do not", status: announced("FailureTarget"), pods: [{}], counting: "" }
  ])("$why", ({ counting, ...row }) => {
    expect(countingText(row)).toBe(counting)
  })
})

describe("a Pod of an Indexed Job is counted by its index", () => {
  it.each<JobRow & { readonly counting: string }>([
    { why: "a new success", spec: indexed, pods: [{ ...succeeded, index: 1 }], counting: "+pod-0" },
    {
      why: "whose index the status has",
      spec: indexed,
      status: { completedIndexes: "1" },
      pods: [{ ...succeeded, index: 1 }],
      counting: "free pod-0"
    },
    {
      why: "without an index, or with one that the Job does not have, it is not counted",
      spec: indexed,
      pods: [succeeded, { ...succeeded, index: 4 }, { ...succeeded, index: "-1" }],
      counting: "free pod-0, free pod-1, free pod-2"
    },
    {
      why: "the failure of an index keeps its finalizer until the next Pod of the index is there",
      spec: perIndex,
      pods: [{ ...failed, index: 1, failuresBefore: [0, 0] }],
      counting: ""
    },
    {
      why: "and then it is counted",
      spec: perIndex,
      pods: [{ ...failed, index: 1, failuresBefore: [0, 0] }, { index: 1 }],
      counting: "-pod-0"
    },
    {
      why: "as is an ignored one",
      spec: { ...perIndex, ...ignoring },
      pods: [{ ...ignored, index: 1 }, { index: 1 }],
      counting: "~pod-0, free pod-0"
    },
    {
      why: "which waits like the others",
      spec: { ...perIndex, ...ignoring },
      pods: [{ ...ignored, index: 1 }],
      counting: ""
    }
  ])("$why", ({ counting, ...row }) => {
    expect(countingText(row)).toBe(counting)
  })
})

describe("the indexes that have succeeded (TestCalculateSucceededIndexes)", () => {
  it.each<JobRow & { readonly indexes: string }>([
    { why: "those of the status", spec: indexed, status: { completedIndexes: "0,2" }, indexes: "0 2" },
    {
      why: "and of new Pods",
      spec: indexed,
      status: { completedIndexes: "0" },
      pods: [
        { ...succeeded, index: 2 },
        { ...failed, index: 3 }
      ],
      indexes: "0 2"
    },
    {
      why: "not of Pods whose finalizer is gone",
      spec: indexed,
      pods: [{ ...succeeded, index: 2, hasTrackingFinalizer: false }],
      indexes: ""
    },
    {
      why: "not those beyond completions, which may have been lowered",
      spec: { ...indexed, completions: 2 },
      status: { completedIndexes: "0-2" },
      pods: [{ ...succeeded, index: 3 }],
      indexes: "0 1"
    },
    {
      why: "not of Pods without an index",
      spec: indexed,
      pods: [succeeded, { ...succeeded, index: "one" }],
      indexes: ""
    },
    {
      why: "none of a Job without indexes",
      spec: { completions: 4 },
      status: { completedIndexes: "0" },
      pods: [{ ...succeeded, index: 2 }],
      indexes: ""
    }
  ])("$why", ({ indexes, ...row }) => {
    expect(listedIndexes(succeededIndexes(observationOfRow(row)))).toBe(indexes)
  })
})

describe("the counts of a Job", () => {
  const noted = { uncountedTerminatedPods: { succeeded: ["uid-a"], failed: ["uid-b", "uid-c"] } }
  it.each<JobRow & { readonly counts: string }>([
    { why: "are 0 at first", counts: "0 succeeded, 0 failed" },
    {
      why: "are those of the status, of noted Pods and of new ones",
      status: { succeeded: 3, failed: 4, ...noted },
      pods: [succeeded, failed],
      counts: "5 succeeded, 7 failed"
    },
    {
      why: "are of indexes, where there are any",
      spec: indexed,
      status: { succeeded: 9, completedIndexes: "0,1" },
      pods: [
        { ...succeeded, index: 1 },
        { ...succeeded, index: 2 }
      ],
      counts: "3 succeeded, 0 failed"
    },
    {
      why: "include failures that wait for the next Pod of their index, but ignored ones",
      spec: { ...perIndex, ...ignoring },
      pods: [
        { ...failed, index: 1 },
        { ...failed, index: 3 },
        { ...ignored, index: 2 }
      ],
      counts: "0 succeeded, 2 failed"
    }
  ])("$why", ({ counts, ...row }) => {
    const seen = observationOfRow(row)
    expect(`${succeededCount(seen)} succeeded, ${failedCount(seen)} failed`).toBe(counts)
  })

  it("has ready Pods among the active ones alone", () => {
    const pods = [{ ready: 0 }, {}, { ready: 0, terminating: true }, { ...succeeded, ready: 0 }]
    expect(readyCount(observationOfRow({ pods }))).toBe(1)
  })
})
