import { describe, expect, it } from "vitest"
import {
  backOffEndMillis,
  failuresAfterCounting,
  failuresAfterIgnoring,
  failuresAmong,
  jobBackOffMillis
} from "../../../../src/kubernetes/batch/jobs/jobBackOff.ts"
import { aJobObservation, startMillis } from "../../../builders.ts"
import { endedAt } from "./endedPods.ts"
import type { JobPodOptions } from "../../../builders.ts"

describe("the back-off of a Job's failed Pods (TestGetRemainingBackoffTime)", () => {
  it.each([
    { why: "nothing has failed", failures: 0, seconds: 0 },
    { why: "ten seconds at first", failures: 1, seconds: 10 },
    { why: "twice as long for the second", failures: 2, seconds: 20 },
    { why: "and so on", failures: 6, seconds: 320 },
    { why: "ten minutes, where doubling would give 640 seconds", failures: 7, seconds: 600 },
    { why: "never longer", failures: 40, seconds: 600 }
  ])("lasts $seconds s after $failures failures: $why", ({ failures, seconds }) => {
    expect(jobBackOffMillis(failures)).toBe(seconds * 1000)
  })

  it("begins when the last Pod failed", () => {
    expect(backOffEndMillis({ failures: 2, lastFailureMillis: 1000 })).toBe(21_000)
  })
})

const failed = (second: number): JobPodOptions => ({ phase: "Failed", status: endedAt(second) })
const succeeded = (second: number): JobPodOptions => ({ phase: "Succeeded", status: endedAt(second) })

interface Row {
  readonly why: string
  /** Failures before, and the second of the last. */
  readonly before: readonly [failures: number, lastSecond: number]
  readonly pods: ReadonlyArray<JobPodOptions>
  readonly after: readonly [failures: number, lastSecond: number]
}

/** Unix milliseconds of the start plus so many seconds; 0 stays 0. */
const millisOf = (second: number): number => (second === 0 ? 0 : startMillis + second * 1000)
const failuresOf = ([failures, second]: Row["after"]) => ({ failures, lastFailureMillis: millisOf(second) })

const rows: ReadonlyArray<Row> = [
  { why: "nothing has ended", before: [2, 5], pods: [{ phase: "Running" }], after: [2, 5] },
  { why: "the first failure", before: [0, 0], pods: [failed(5)], after: [1, 5] },
  { why: "the later of two counts as the last", before: [0, 0], pods: [failed(9), failed(5)], after: [2, 9] },
  { why: "failures add up", before: [2, 5], pods: [failed(9)], after: [3, 9] },
  { why: "a success ends the back-off", before: [2, 5], pods: [succeeded(9)], after: [0, 0] },
  {
    why: "failures before the success do not matter",
    before: [2, 5],
    pods: [failed(7), succeeded(9)],
    after: [0, 0]
  },
  { why: "nor at its second", before: [2, 5], pods: [failed(9), succeeded(9)], after: [0, 0] },
  {
    why: "failures after the last success count anew",
    before: [5, 5],
    pods: [succeeded(6), failed(7), succeeded(8), failed(9), failed(10)],
    after: [2, 10]
  }
]

describe("the failures of a Job since its last success (TestNewBackoffRecord)", () => {
  it.each(rows)("$why, and counts once", ({ before, pods, after }) => {
    const seen = aJobObservation({}, pods)
    const counted = failuresAfterCounting({ ...failuresOf(before), countedPods: [] }, seen)
    expect(counted).toMatchObject(failuresOf(after))
    expect(failuresAfterCounting(counted, seen)).toEqual(counted)
  })

  it.each(rows.filter(({ before: [failures] }) => failures === 0))(
    "are told by the Pods that are left, when the controller starts: $why",
    ({ pods, after }) => {
      expect(failuresAmong(aJobObservation({}, pods).pods)).toEqual(failuresOf(after))
    }
  )

  it("are none when the controller starts, where the last Pod that is left has succeeded", () => {
    expect(failuresAmong(aJobObservation({}, [failed(5), succeeded(9)]).pods)).toEqual(failuresOf([0, 0]))
  })
})

const ignoringPolicy = {
  rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }]
} as const

describe("failures that podFailurePolicy ignores", () => {
  const disrupted = (second: number): JobPodOptions => ({
    phase: "Failed",
    status: { ...endedAt(second), conditions: [{ type: "DisruptionTarget", status: "True" }] }
  })
  it.each<Row>([
    { why: "make the next Pod wait, as others do", before: [1, 5], pods: [disrupted(9)], after: [2, 9] },
    { why: "may be older than the last that counts", before: [1, 9], pods: [disrupted(5)], after: [2, 9] },
    { why: "are not the failures that count", before: [1, 5], pods: [failed(9)], after: [1, 5] }
  ])("$why", ({ before, pods, after }) => {
    const seen = aJobObservation({ spec: { podFailurePolicy: ignoringPolicy } }, pods)
    expect(failuresAfterIgnoring(failuresOf(before), seen)).toEqual(failuresOf(after))
  })
})
