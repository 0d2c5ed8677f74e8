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
  staysComplete,
  wasComplete
} from "../../src/kubernetes/apps/progress.ts"
import type { DeploymentObservation } from "../../src/kubernetes/apps/deploymentObservation.ts"
import { aDeployment, anObservation, aReplicaSet, aTime, startMillis } from "../builders.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../builders.ts"
import type { DeploymentCondition, DeploymentStatus } from "../../src/kubernetes/meta/objects.ts"

type Four = readonly [replicas: number, updated: number, ready: number, available: number]

const statusOf = ([replicas, updatedReplicas, readyReplicas, availableReplicas]: Four): DeploymentStatus => ({
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

/** A Deployment whose stored status says one thing and whose ReplicaSets come to another. */
const seenOf = (options: {
  readonly deployment?: DeploymentOptions
  readonly stored?: Four
  readonly now?: Four
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

describe("complete is when everything runs the new revision and nothing else (TestDeploymentComplete)", () => {
  it.each<{
    readonly why: string
    readonly replicas: number
    readonly now: Four
    readonly complete: boolean
  }>([
    { why: "min but not all pods become available", replicas: 5, now: [5, 5, 5, 4], complete: false },
    { why: "min availability is not honored", replicas: 5, now: [5, 5, 5, 3], complete: false },
    { why: "all there", replicas: 5, now: [5, 5, 5, 5], complete: true },
    { why: "all pods are available but not updated", replicas: 5, now: [5, 4, 5, 5], complete: false },
    { why: "still running old pods", replicas: 1, now: [2, 1, 1, 1], complete: false },
    { why: "one replica deployment never comes up", replicas: 1, now: [1, 1, 0, 0], complete: false },
    { why: "more than asked for", replicas: 3, now: [4, 4, 4, 4], complete: false },
    { why: "nothing of nothing", replicas: 0, now: [0, 0, 0, 0], complete: true }
  ])("$now of $replicas: $complete: $why", ({ replicas, now, complete }) => {
    expect(isComplete(seenOf({ deployment: { replicas }, now }))).toBe(complete)
    expect(wasComplete(seenOf({ deployment: { replicas }, stored: now }))).toBe(complete)
  })

  it("what was reported of an older generation does not make it complete", () => {
    const seen = seenOf({ deployment: { generation: 2 }, stored: [3, 3, 3, 3] })
    expect(wasComplete(seen)).toBe(false)
    expect(isComplete(seen)).toBe(true)
  })
})

describe("progress is more new Pods, fewer old, more ready or more available (TestDeploymentProgressing)", () => {
  it.each<{ readonly why: string; readonly from: Four; readonly to: Four; readonly progressed: boolean }>([
    { why: "updated pods", from: [10, 4, 4, 4], to: [10, 6, 4, 4], progressed: true },
    { why: "nothing moved", from: [10, 4, 4, 4], to: [10, 4, 4, 4], progressed: false },
    { why: "old pods removed", from: [10, 4, 6, 6], to: [8, 4, 6, 6], progressed: true },
    { why: "less new pods", from: [10, 7, 3, 3], to: [10, 6, 3, 3], progressed: false },
    { why: "less overall but more new pods", from: [10, 4, 7, 7], to: [8, 8, 5, 5], progressed: true },
    { why: "more ready pods", from: [10, 10, 9, 8], to: [10, 10, 10, 8], progressed: true },
    { why: "more available pods", from: [10, 10, 10, 9], to: [10, 10, 10, 10], progressed: true },
    { why: "fewer ready and available", from: [7, 7, 7, 7], to: [7, 7, 5, 3], progressed: false },
    { why: "an old Pod came back", from: [5, 3, 3, 3], to: [6, 3, 3, 3], progressed: false }
  ])("$from to $to: $progressed: $why", ({ from, to, progressed }) => {
    expect(hasProgressed(seenOf({ deployment: { replicas: 10 }, stored: from, now: to }))).toBe(progressed)
  })

  it("a first report of anything is progress", () => {
    const sets = [{ version: "v9", replicas: 2, ready: 0, available: 0 }]
    expect(hasProgressed(seenOf({ deployment: { status: {} }, sets }))).toBe(true)
  })
})

describe("a rollout is overdue when the deadline passes without progress (TestDeploymentTimedOut)", () => {
  it.each([
    { why: "no deadline", deadline: undefined, reason: "", since: 69, now: 80, overdue: false },
    {
      why: "the largest deadline is none",
      deadline: 2147483647,
      reason: "",
      since: 69,
      now: 80,
      overdue: false
    },
    { why: "11 s of 10", deadline: 10, reason: "", since: 69, now: 80, overdue: true },
    { why: "9 s of 10", deadline: 10, reason: "", since: 71, now: 80, overdue: false },
    { why: "10 s of 10 are not over yet", deadline: 10, reason: "", since: 70, now: 80, overdue: false },
    { why: "a moment later they are", deadline: 10, reason: "", since: 70, now: 80.001, overdue: true },
    {
      why: "complete stays complete",
      deadline: 10,
      reason: "NewReplicaSetAvailable",
      since: 0,
      now: 99,
      overdue: false
    },
    {
      why: "overdue stays overdue",
      deadline: 10,
      reason: "ProgressDeadlineExceeded",
      since: 80,
      now: 80,
      overdue: true
    },
    {
      why: "not without a deadline any more",
      deadline: undefined,
      reason: "ProgressDeadlineExceeded",
      since: 80,
      now: 80,
      overdue: false
    },
    {
      why: "a failed creation waits like any other",
      deadline: 10,
      reason: "ReplicaSetCreateError",
      since: 1,
      now: 12,
      overdue: true
    },
    {
      why: "so does a resumed rollout",
      deadline: 10,
      reason: "DeploymentResumed",
      since: 5,
      now: 12,
      overdue: false
    }
  ])("$why: deadline $deadline, '$reason' since $since, at $now: $overdue", (row) => {
    const conditions = [progressing(row.reason, "True", row.since)]
    const deployment = { deadlineSeconds: row.deadline, conditions }
    expect(isProgressOverdue(seenOf({ deployment, seconds: row.now }))).toBe(row.overdue)
  })

  it("without a condition nobody has begun to wait", () => {
    expect(isProgressOverdue(seenOf({ seconds: 9_999 }))).toBe(false)
  })

  it("a condition that does not say since when has waited for ever", () => {
    const conditions = [{ type: "Progressing", status: "True", reason: "ReplicaSetUpdated" }]
    expect(isProgressOverdue(seenOf({ deployment: { conditions }, seconds: 1 }))).toBe(true)
  })
})

describe("the check is a second after the deadline of the stored condition (TestRequeueStuckDeployment)", () => {
  const checkAfter = (seen: DeploymentObservation, notedMillis?: number): number =>
    progressCheckMillis(seen, notedMillis) - seen.nowMillis

  it.each([
    { now: 30, left: 31_000 },
    { now: 59, left: 2_000 },
    { now: 59.4, left: 100 },
    { now: 60, left: 100 },
    { now: 61, left: 100 },
    { now: 120, left: 100 }
  ])("60 s, at $now s: $left ms", ({ now, left }) => {
    const seen = seenOf({ deployment: { conditions: [progressing("")] }, seconds: now })
    expect(checkAfter(seen)).toBe(left)
  })

  it("progress noted just now counts from its whole second, as if it had been stored", () => {
    const seen = seenOf({ deployment: { conditions: [progressing("")] }, seconds: 47.9 })
    expect(checkAfter(seen, startMillis + 47_900)).toBe(60_100)
    expect(checkAfter(seen, startMillis + 40_000)).toBe(53_100)
  })

  it("with nothing stored and nothing noted all of it is left", () => {
    expect(checkAfter(seenOf({ seconds: 13 }))).toBe(61_000)
  })

  it.each([
    { seconds: undefined, has: false },
    { seconds: 2147483647, has: false },
    { seconds: 600, has: true },
    { seconds: 1, has: true }
  ])("a deadline of $seconds is one: $has", ({ seconds, has }) => {
    expect(hasProgressDeadline(aDeployment({ deadlineSeconds: seconds }))).toBe(has)
  })
})

interface Judged {
  readonly why: string
  readonly replicas?: number
  readonly stored: Four
  readonly conditions: ReadonlyArray<DeploymentCondition>
  readonly sets: ReadonlyArray<ReplicaSetOptions>
  readonly seconds?: number
  readonly facts: string
}

const factsOf = (seen: ReturnType<typeof seenOf>): string =>
  [
    staysComplete(seen) ? "stays complete" : "",
    isComplete(seen) ? "complete" : "",
    hasProgressed(seen) ? "progressed" : "",
    isProgressOverdue(seen) ? "overdue" : ""
  ]
    .filter((it) => it !== "")
    .join(", ")

describe("what a look finds (TestSyncRolloutStatus)", () => {
  const old: ReplicaSetOptions = { version: "v1", replicas: 0, pods: 1, available: 1 }
  const fresh = (replicas: number, available: number): ReplicaSetOptions => ({
    version: "v9",
    replicas: 3,
    pods: replicas,
    available
  })
  it.each<Judged>([
    {
      why: "do not estimate progress of deployment with only one active ReplicaSet",
      stored: [3, 3, 3, 3],
      conditions: [progressing("NewReplicaSetAvailable")],
      sets: [fresh(3, 3)],
      facts: "stays complete, complete"
    },
    {
      why: "one that was complete and loses Pods stays so",
      stored: [3, 3, 3, 3],
      conditions: [progressing("NewReplicaSetAvailable")],
      sets: [fresh(3, 1)],
      seconds: 999,
      facts: "stays complete"
    },
    {
      why: "a new revision of what was complete: old Pods are there, so it is open again",
      stored: [3, 0, 3, 3],
      conditions: [progressing("NewReplicaSetAvailable")],
      sets: [{ version: "v1", replicas: 3 }, fresh(1, 0)],
      seconds: 999,
      facts: "progressed"
    },
    {
      why: "DeploymentProgressing: an available Pod more than was reported",
      stored: [2, 2, 2, 2],
      conditions: [progressing("ReplicaSetUpdated")],
      sets: [old, fresh(2, 2)],
      facts: "progressed"
    },
    {
      why: "DeploymentProgressing: also after the deadline",
      stored: [2, 2, 2, 2],
      conditions: [progressing("ProgressDeadlineExceeded", "False")],
      sets: [old, fresh(2, 2)],
      facts: "progressed, overdue"
    },
    {
      why: "DeploymentComplete: of a rollout that was going on",
      stored: [3, 3, 3, 3],
      conditions: [progressing("ReplicaSetUpdated")],
      sets: [fresh(3, 3)],
      facts: "complete"
    },
    {
      why: "DeploymentComplete: of one that was overdue",
      stored: [3, 3, 3, 3],
      conditions: [progressing("ProgressDeadlineExceeded", "False")],
      sets: [fresh(3, 3)],
      facts: "complete, overdue"
    },
    {
      why: "DeploymentComplete: a Deployment of 0 without a new ReplicaSet",
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
      why: "DeploymentTimedOut: what timed out stays so",
      stored: [2, 2, 2, 2],
      conditions: [progressing("ProgressDeadlineExceeded", "False")],
      sets: [fresh(2, 2)],
      facts: "overdue"
    }
  ])("$facts: $why", ({ replicas = 3, stored, conditions, sets, seconds = 0, facts }) => {
    expect(factsOf(seenOf({ deployment: { replicas, conditions }, stored, sets, seconds }))).toBe(facts)
  })
})

describe("what is said names the new ReplicaSet, or the Deployment where there is none", () => {
  it.each([
    { claim: completeCondition, message: "has successfully progressed." },
    { claim: progressedCondition, message: "is progressing." },
    { claim: overdueCondition, message: "has timed out progressing." }
  ])("$message", ({ claim, message }) => {
    expect(claim(seenOf({})).message).toBe(`ReplicaSet "web-v9" ${message}`)
    expect(claim(seenOf({ sets: [{ version: "v1" }] })).message).toBe(`Deployment "web" ${message}`)
  })
})

describe("pausing and resuming are said once", () => {
  it.each([
    { paused: true, reason: "ReplicaSetUpdated", pausing: true, resuming: false },
    { paused: true, reason: "DeploymentPaused", pausing: false, resuming: false },
    { paused: true, reason: "ProgressDeadlineExceeded", pausing: false, resuming: false },
    { paused: false, reason: "DeploymentPaused", pausing: false, resuming: true },
    { paused: false, reason: "ReplicaSetUpdated", pausing: false, resuming: false },
    { paused: false, reason: "ProgressDeadlineExceeded", pausing: false, resuming: false }
  ])("paused $paused after $reason: says pausing $pausing, resuming $resuming", (row) => {
    const seen = seenOf({ deployment: { paused: row.paused, conditions: [progressing(row.reason)] } })
    expect([isPausing(seen), isResuming(seen)]).toEqual([row.pausing, row.resuming])
  })

  it("a paused Deployment that never said anything says so", () => {
    expect(isPausing(seenOf({ deployment: { paused: true } }))).toBe(true)
  })
})
