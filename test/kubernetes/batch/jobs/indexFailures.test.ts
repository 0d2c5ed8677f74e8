import { describe, expect, it } from "vitest"
import {
  failedIndexes,
  failuresOfIndex,
  lastFailedPodByIndex
} from "../../../../src/kubernetes/batch/jobs/jobObservation.ts"
import {
  announced,
  endedAt,
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

describe("the indexes that have failed for good (TestIsIndexFailed, TestCalculateFailedIndexes)", () => {
  const failIndex = {
    podFailurePolicy: { rules: [{ action: "FailIndex", onExitCodes: { operator: "In", values: [1] } }] }
  } as const
  it.each<JobRow & { readonly indexes: string }>([
    {
      why: "one failure is within a limit of 1",
      spec: perIndex,
      pods: [{ ...failed, index: 1, failuresBefore: [0, 0] }],
      indexes: ""
    },
    {
      why: "the second is not",
      spec: perIndex,
      pods: [{ ...failed, index: 1, failuresBefore: [1, 0] }],
      indexes: "1"
    },
    {
      why: "a Pod that does not tell is the first of its index",
      spec: { ...perIndex, backoffLimitPerIndex: 0 },
      pods: [{ ...failed, index: 1 }],
      indexes: "1"
    },
    {
      why: "ignored failures before do not count",
      spec: perIndex,
      pods: [{ ...failed, index: 1, failuresBefore: [0, 5] }],
      indexes: ""
    },
    {
      why: "nor does an ignored one that follows failures",
      spec: { ...perIndex, ...ignoring },
      pods: [{ ...ignored, index: 1, failuresBefore: [1, 0] }],
      indexes: ""
    },
    {
      why: "a rule with FailIndex fails it at once",
      spec: { ...perIndex, ...failIndex },
      pods: [{ ...failed, index: 1, failuresBefore: [0, 0] }],
      indexes: "1"
    },
    { why: "those of the status", spec: perIndex, status: { failedIndexes: "0,2" }, indexes: "0 2" },
    {
      why: "not those beyond completions",
      spec: { ...perIndex, completions: 2 },
      status: { failedIndexes: "1,2" },
      indexes: "1"
    },
    {
      why: "not an index that has succeeded",
      spec: { ...perIndex, backoffLimitPerIndex: 0 },
      pods: [
        { ...failed, index: 1 },
        { ...succeeded, index: 1 }
      ],
      indexes: ""
    },
    {
      why: "Pods that are deleted because the Job is over fail no index",
      spec: { ...perIndex, backoffLimitPerIndex: 0 },
      status: { failedIndexes: "0", ...announced("SuccessCriteriaMet") },
      pods: [{ ...failed, index: 1 }],
      indexes: "0"
    },
    {
      why: "none without backoffLimitPerIndex",
      spec: indexed,
      status: { failedIndexes: "0" },
      pods: [{ ...failed, index: 1, failuresBefore: [9, 0] }],
      indexes: ""
    },
    {
      why: "not of Pods without an index",
      spec: { ...perIndex, backoffLimitPerIndex: 0 },
      pods: [failed],
      indexes: ""
    }
  ])("$why", ({ indexes, ...row }) => {
    expect(listedIndexes(failedIndexes(observationOfRow(row)))).toBe(indexes)
  })
})

describe("the Pod that holds the failures of an index (TestGetPodsWithDelayedDeletionPerIndex)", () => {
  const failedAt = (second: number, before: readonly [number, number]): JobPodOptions => ({
    phase: "Failed",
    index: 1,
    failuresBefore: before,
    status: endedAt(second)
  })
  const limited = { ...perIndex, backoffLimitPerIndex: 9 } as const
  it.each<JobRow & { readonly holders: string }>([
    { why: "is the failed one", spec: limited, pods: [failedAt(5, [0, 0])], holders: "1:pod-0" },
    {
      why: "is the one with more failures",
      spec: limited,
      pods: [failedAt(5, [0, 0]), failedAt(6, [1, 0])],
      holders: "1:pod-1"
    },
    {
      why: "is not a later one with fewer failures",
      spec: limited,
      pods: [failedAt(5, [1, 0]), failedAt(6, [0, 0])],
      holders: "1:pod-0"
    },
    {
      why: "counts ignored failures, too",
      spec: limited,
      pods: [failedAt(5, [0, 2]), failedAt(6, [1, 0])],
      holders: "1:pod-0"
    },
    {
      why: "of two with as many is the later",
      spec: limited,
      pods: [failedAt(6, [1, 0]), failedAt(5, [1, 0])],
      holders: "1:pod-0"
    },
    {
      why: "of two with as many at one time is the second",
      spec: limited,
      pods: [failedAt(5, [1, 0]), failedAt(5, [1, 0])],
      holders: "1:pod-1"
    },
    {
      why: "is none while a Pod of the index runs",
      spec: limited,
      pods: [failedAt(5, [0, 0]), { index: 1 }],
      holders: ""
    },
    {
      why: "is none after the index has succeeded",
      spec: limited,
      status: { completedIndexes: "1" },
      pods: [failedAt(5, [0, 0])],
      holders: ""
    },
    {
      why: "is none after the index has failed for good",
      spec: limited,
      status: { failedIndexes: "1" },
      pods: [failedAt(5, [0, 0])],
      holders: ""
    },
    {
      why: "is none for an index that the Job does not have",
      spec: limited,
      pods: [{ ...failed, index: 4 }],
      holders: ""
    },
    {
      why: "is none once the end of the Job is announced",
      spec: limited,
      status: announced("FailureTarget"),
      pods: [failedAt(5, [0, 0])],
      holders: ""
    },
    {
      why: "is none when the Job is being deleted",
      spec: limited,
      deleted: true,
      pods: [failedAt(5, [0, 0])],
      holders: ""
    },
    { why: "is none without backoffLimitPerIndex", spec: indexed, pods: [failedAt(5, [0, 0])], holders: "" }
  ])("$why", ({ holders, ...row }) => {
    const entries = [...lastFailedPodByIndex(observationOfRow(row))]
    expect(entries.map(([index, { metadata }]) => `${index}:${metadata.name}`).join(" ")).toBe(holders)
  })

  it.each([
    { why: "one more that counts", pod: failedAt(5, [1, 2]), failures: { counted: 2, ignored: 2 } },
    {
      why: "one more that is ignored",
      pod: { ...failedAt(5, [1, 2]), status: endedAt(5, 9) },
      failures: { counted: 1, ignored: 3 }
    }
  ])("tells the next Pod of the index its failures: $why", ({ pod, failures }) => {
    const seen = observationOfRow({ spec: { ...limited, ...ignoring }, pods: [pod] })
    expect(failuresOfIndex(seen, 1)).toEqual(failures)
    expect(failuresOfIndex(seen, 0)).toEqual({ counted: 0, ignored: 0 })
  })
})
