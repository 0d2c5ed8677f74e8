import { describe, expect, it } from "vitest"
import {
  completeCondition,
  hasProgressDeadline,
  hasProgressed,
  isComplete,
  isProgressOverdue,
  isPausing,
  isResuming,
  overdueCondition,
  progressedCondition,
  progressCheckMillis,
  hasCompletedBefore,
  wasComplete
} from "../../../src/kubernetes/apps/progress.ts"
import type { DeploymentObservation } from "../../../src/kubernetes/apps/deploymentObservation.ts"
import { aDeployment, anObservation, aReplicaSet, aTime, startMillis } from "../../builders.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../../builders.ts"
import type { DeploymentCondition, DeploymentStatus } from "../../../src/kubernetes/meta/objects.ts"

type StatusCounts = readonly [replicas: number, updated: number, ready: number, available: number]

const statusOf = ([
  replicas,
  updatedReplicas,
  readyReplicas,
  availableReplicas
]: StatusCounts): DeploymentStatus => ({
  replicas,
  updatedReplicas,
  readyReplicas,
  availableReplicas,
  observedGeneration: 1
})

const progressing = (reason: string, status = "True", updated = 0): DeploymentCondition => ({
  type: "Progressing",
  status,
  reason,
  lastUpdateTime: aTime(updated),
  lastTransitionTime: aTime(updated)
})

/** A Deployment whose stored status differs from what its ReplicaSets report. */
const observe = (options: {
  readonly deployment?: DeploymentOptions
  readonly stored?: StatusCounts
  readonly now?: StatusCounts
  readonly seconds?: number
  readonly sets?: ReadonlyArray<ReplicaSetOptions>
}) => {
  const { deployment = {}, stored = [0, 0, 0, 0], now = stored, seconds = 0, sets } = options
  const [replicas, updated, ready, available] = now
  const newReady = Math.min(updated, ready)
  const newAvailable = Math.min(updated, available)
  return anObservation({
    deployment: aDeployment({
      version: "v9",
      status: statusOf(stored),
      deadlineSeconds: 60,
      replicas: 3,
      ...deployment
    }),
    now: seconds,
    replicaSets: (
      sets ?? [
        {
          version: "v1",
          pods: replicas - updated,
          ready: ready - newReady,
          available: available - newAvailable
        },
        { version: "v9", created: 5, pods: updated, ready: newReady, available: newAvailable }
      ]
    ).map((it) => aReplicaSet(it))
  })
}

describe("completion (TestDeploymentComplete)", () => {
  it.each<{
    readonly why: string
    readonly replicas: number
    readonly now: StatusCounts
    readonly complete: boolean
  }>([
    { why: "min but not all pods become available", replicas: 5, now: [5, 5, 5, 4], complete: false },
    { why: "min availability is not honored", replicas: 5, now: [5, 5, 5, 3], complete: false },
    { why: "all available", replicas: 5, now: [5, 5, 5, 5], complete: true },
    { why: "all pods are available but not updated", replicas: 5, now: [5, 4, 5, 5], complete: false },
    { why: "still running old pods", replicas: 1, now: [2, 1, 1, 1], complete: false },
    { why: "one replica deployment never comes up", replicas: 1, now: [1, 1, 0, 0], complete: false },
    { why: "more Pods than wanted", replicas: 3, now: [4, 4, 4, 4], complete: false },
    { why: "0 of 0", replicas: 0, now: [0, 0, 0, 0], complete: true }
  ])("$now of $replicas: $complete: $why", ({ replicas, now, complete }) => {
    expect(isComplete(observe({ deployment: { replicas }, now }))).toBe(complete)
    expect(wasComplete(observe({ deployment: { replicas }, stored: now }))).toBe(complete)
  })

  it("does not count a status of an older generation", () => {
    const observation = observe({ deployment: { generation: 2 }, stored: [3, 3, 3, 3] })
    expect(wasComplete(observation)).toBe(false)
    expect(isComplete(observation)).toBe(true)
  })
})

describe("progress (TestDeploymentProgressing)", () => {
  it.each<{
    readonly why: string
    readonly before: StatusCounts
    readonly after: StatusCounts
    readonly progressed: boolean
  }>([
    { why: "updated pods", before: [10, 4, 4, 4], after: [10, 6, 4, 4], progressed: true },
    { why: "nothing changed", before: [10, 4, 4, 4], after: [10, 4, 4, 4], progressed: false },
    { why: "old pods removed", before: [10, 4, 6, 6], after: [8, 4, 6, 6], progressed: true },
    { why: "less new pods", before: [10, 7, 3, 3], after: [10, 6, 3, 3], progressed: false },
    { why: "less overall but more new pods", before: [10, 4, 7, 7], after: [8, 8, 5, 5], progressed: true },
    { why: "more ready pods", before: [10, 10, 9, 8], after: [10, 10, 10, 8], progressed: true },
    { why: "more available pods", before: [10, 10, 10, 9], after: [10, 10, 10, 10], progressed: true },
    { why: "fewer ready and available", before: [7, 7, 7, 7], after: [7, 7, 5, 3], progressed: false },
    { why: "an additional old Pod", before: [5, 3, 3, 3], after: [6, 3, 3, 3], progressed: false }
  ])("$before to $after: $progressed: $why", ({ before, after, progressed }) => {
    expect(hasProgressed(observe({ deployment: { replicas: 10 }, stored: before, now: after }))).toBe(
      progressed
    )
  })

  it("is made by the first report of a Pod", () => {
    const sets = [{ version: "v9", replicas: 2, ready: 0, available: 0 }]
    expect(hasProgressed(observe({ deployment: { status: {} }, sets }))).toBe(true)
  })
})

describe("the progress deadline (TestDeploymentTimedOut)", () => {
  it.each([
    { why: "no deadline", deadline: undefined, reason: "", since: 69, now: 80, overdue: false },
    {
      why: "the largest deadline means none",
      deadline: 2147483647,
      reason: "",
      since: 69,
      now: 80,
      overdue: false
    },
    { why: "11 s of 10", deadline: 10, reason: "", since: 69, now: 80, overdue: true },
    { why: "9 s of 10", deadline: 10, reason: "", since: 71, now: 80, overdue: false },
    {
      why: "exactly 10 s are within the deadline",
      deadline: 10,
      reason: "",
      since: 70,
      now: 80,
      overdue: false
    },
    {
      why: "a millisecond later they are not",
      deadline: 10,
      reason: "",
      since: 70,
      now: 80.001,
      overdue: true
    },
    {
      why: "a complete rollout stays complete",
      deadline: 10,
      reason: "NewReplicaSetAvailable",
      since: 0,
      now: 99,
      overdue: false
    },
    {
      why: "an overdue rollout stays overdue",
      deadline: 10,
      reason: "ProgressDeadlineExceeded",
      since: 80,
      now: 80,
      overdue: true
    },
    {
      why: "a removed deadline is not exceeded",
      deadline: undefined,
      reason: "ProgressDeadlineExceeded",
      since: 80,
      now: 80,
      overdue: false
    },
    {
      why: "a failed creation counts like any wait",
      deadline: 10,
      reason: "ReplicaSetCreateError",
      since: 1,
      now: 12,
      overdue: true
    },
    {
      why: "a resumed rollout counts like any wait",
      deadline: 10,
      reason: "DeploymentResumed",
      since: 5,
      now: 12,
      overdue: false
    }
  ])("$why: deadline $deadline, '$reason' since $since, at $now: $overdue", (row) => {
    const conditions = [progressing(row.reason, "True", row.since)]
    const deployment = { deadlineSeconds: row.deadline, conditions }
    expect(isProgressOverdue(observe({ deployment, seconds: row.now }))).toBe(row.overdue)
  })

  it("is not exceeded without a condition", () => {
    expect(isProgressOverdue(observe({ seconds: 9_999 }))).toBe(false)
  })

  it("is exceeded when the condition has no time", () => {
    const conditions = [{ type: "Progressing", status: "True", reason: "ReplicaSetUpdated" }]
    expect(isProgressOverdue(observe({ deployment: { conditions }, seconds: 1 }))).toBe(true)
  })
})

describe("the next check of the deadline (TestRequeueStuckDeployment)", () => {
  const checkAfter = (observation: DeploymentObservation, lastProgressMillis?: number): number =>
    progressCheckMillis(observation, lastProgressMillis) - observation.nowMillis

  it.each([
    { now: 30, remaining: 31_000 },
    { now: 59, remaining: 2_000 },
    { now: 59.4, remaining: 100 },
    { now: 60, remaining: 100 },
    { now: 61, remaining: 100 },
    { now: 120, remaining: 100 }
  ])("is due in $remaining ms at $now s of 60", ({ now, remaining }) => {
    const observation = observe({ deployment: { conditions: [progressing("")] }, seconds: now })
    expect(checkAfter(observation)).toBe(remaining)
  })

  it("counts from the whole second of progress that is not stored yet", () => {
    const observation = observe({ deployment: { conditions: [progressing("")] }, seconds: 47.9 })
    expect(checkAfter(observation, startMillis + 47_900)).toBe(60_100)
    expect(checkAfter(observation, startMillis + 40_000)).toBe(53_100)
  })

  it("is due in 61 s when neither stored nor new progress exists", () => {
    expect(checkAfter(observe({ seconds: 13 }))).toBe(61_000)
  })

  it.each([
    { seconds: undefined, has: false },
    { seconds: 2147483647, has: false },
    { seconds: 600, has: true },
    { seconds: 1, has: true }
  ])("exists with a deadline of $seconds: $has", ({ seconds, has }) => {
    expect(hasProgressDeadline(aDeployment({ deadlineSeconds: seconds }))).toBe(has)
  })
})

interface ProgressCase {
  readonly why: string
  readonly replicas?: number
  readonly stored: StatusCounts
  readonly conditions: ReadonlyArray<DeploymentCondition>
  readonly sets: ReadonlyArray<ReplicaSetOptions>
  readonly seconds?: number
  readonly facts: string
}

const factsOf = (observation: ReturnType<typeof observe>): string =>
  [
    hasCompletedBefore(observation) ? "stays complete" : "",
    isComplete(observation) ? "complete" : "",
    hasProgressed(observation) ? "progressed" : "",
    isProgressOverdue(observation) ? "overdue" : ""
  ]
    .filter((it) => it !== "")
    .join(", ")

describe("the facts of a look (TestSyncRolloutStatus)", () => {
  const old: ReplicaSetOptions = { version: "v1", replicas: 0, pods: 1, available: 1 }
  const fresh = (replicas: number, available: number): ReplicaSetOptions => ({
    version: "v9",
    replicas: 3,
    pods: replicas,
    available
  })
  it.each<ProgressCase>([
    {
      why: "do not estimate progress of deployment with only one active ReplicaSet",
      stored: [3, 3, 3, 3],
      conditions: [progressing("NewReplicaSetAvailable")],
      sets: [fresh(3, 3)],
      facts: "stays complete, complete"
    },
    {
      why: "a complete Deployment that loses Pods stays complete",
      stored: [3, 3, 3, 3],
      conditions: [progressing("NewReplicaSetAvailable")],
      sets: [fresh(3, 1)],
      seconds: 999,
      facts: "stays complete"
    },
    {
      why: "a complete Deployment with a new revision is open again",
      stored: [3, 0, 3, 3],
      conditions: [progressing("NewReplicaSetAvailable")],
      sets: [{ version: "v1", replicas: 3 }, fresh(1, 0)],
      seconds: 999,
      facts: "progressed"
    },
    {
      why: "DeploymentProgressing: one more available Pod than reported",
      stored: [2, 2, 2, 2],
      conditions: [progressing("ReplicaSetUpdated")],
      sets: [old, fresh(2, 2)],
      facts: "progressed"
    },
    {
      why: "DeploymentProgressing: after the deadline as well",
      stored: [2, 2, 2, 2],
      conditions: [progressing("ProgressDeadlineExceeded", "False")],
      sets: [old, fresh(2, 2)],
      facts: "progressed, overdue"
    },
    {
      why: "DeploymentComplete: after a running rollout",
      stored: [3, 3, 3, 3],
      conditions: [progressing("ReplicaSetUpdated")],
      sets: [fresh(3, 3)],
      facts: "complete"
    },
    {
      why: "DeploymentComplete: after an overdue rollout",
      stored: [3, 3, 3, 3],
      conditions: [progressing("ProgressDeadlineExceeded", "False")],
      sets: [fresh(3, 3)],
      facts: "complete, overdue"
    },
    {
      why: "DeploymentComplete: 0 replicas without a new ReplicaSet",
      replicas: 0,
      stored: [3, 3, 3, 3],
      conditions: [progressing("ReplicaSetUpdated")],
      sets: [{ version: "v1", replicas: 0 }],
      facts: "complete"
    },
    {
      why: "DeploymentTimedOut: update status if rollout exceeds Progress Deadline",
      stored: [2, 2, 2, 2],
      conditions: [progressing("ReplicaSetUpdated")],
      sets: [fresh(2, 2)],
      seconds: 61,
      facts: "overdue"
    },
    {
      why: "DeploymentTimedOut: an overdue rollout stays overdue",
      stored: [2, 2, 2, 2],
      conditions: [progressing("ProgressDeadlineExceeded", "False")],
      sets: [fresh(2, 2)],
      facts: "overdue"
    }
  ])("$facts: $why", ({ replicas = 3, stored, conditions, sets, seconds = 0, facts }) => {
    expect(factsOf(observe({ deployment: { replicas, conditions }, stored, sets, seconds }))).toBe(facts)
  })
})

describe("the message of Progressing", () => {
  it.each([
    { claim: completeCondition, message: "has successfully progressed." },
    { claim: progressedCondition, message: "is progressing." },
    { claim: overdueCondition, message: "has timed out progressing." }
  ])("names the new ReplicaSet, or the Deployment without one: $message", ({ claim, message }) => {
    expect(claim(observe({})).message).toBe(`ReplicaSet "web-v9" ${message}`)
    expect(claim(observe({ sets: [{ version: "v1" }] })).message).toBe(`Deployment "web" ${message}`)
  })
})

describe("the conditions of pausing and resuming", () => {
  it.each([
    { paused: true, reason: "ReplicaSetUpdated", pausing: true, resuming: false },
    { paused: true, reason: "DeploymentPaused", pausing: false, resuming: false },
    { paused: true, reason: "ProgressDeadlineExceeded", pausing: false, resuming: false },
    { paused: false, reason: "DeploymentPaused", pausing: false, resuming: true },
    { paused: false, reason: "ReplicaSetUpdated", pausing: false, resuming: false },
    { paused: false, reason: "ProgressDeadlineExceeded", pausing: false, resuming: false }
  ])("with paused $paused after $reason: pausing $pausing, resuming $resuming", (row) => {
    const observation = observe({ deployment: { paused: row.paused, conditions: [progressing(row.reason)] } })
    expect([isPausing(observation), isResuming(observation)]).toEqual([row.pausing, row.resuming])
  })

  it("report a pause when there was no condition", () => {
    expect(isPausing(observe({ deployment: { paused: true } }))).toBe(true)
  })
})
