import { describe, expect, it } from "vitest"
import {
  availableCondition,
  isDeploymentAvailable,
  replicaFailureOf,
  withStatusReports,
  type DeploymentStatusReport
} from "../../src/kubernetes/apps/deploymentStatus.ts"
import * as progress from "../../src/kubernetes/apps/progress.ts"
import { countReplicas, specReplicas, statusReplicas } from "../../src/kubernetes/apps/replicaCounts.ts"
import { aDeployment, anObservation, aReplicaSet, aTime, startMillis } from "../builders.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../builders.ts"
import type { DeploymentCondition } from "../../src/kubernetes/meta/objects.ts"

const setsOf = (sets: ReadonlyArray<ReplicaSetOptions>) => sets.map((it) => aReplicaSet(it))

describe("sums over ReplicaSets (TestGetReplicaCountForReplicaSets)", () => {
  const rs1: ReplicaSetOptions = { version: "v1", replicas: 1, pods: 2, terminatingPods: 3 }
  const rs2: ReplicaSetOptions = { version: "v2", replicas: 2, pods: 3, terminatingPods: 1 }
  const unsynced: ReplicaSetOptions = { version: "v3", replicas: 3, pods: 0, observedGeneration: 0 }
  const dropped: ReplicaSetOptions = { version: "v4", replicas: 1 }
  it.each([
    { why: "one", sets: [rs1], asked: 1, pods: 2, terminating: 3 },
    { why: "two", sets: [rs1, rs2], asked: 3, pods: 5, terminating: 4 },
    {
      why: "one that nobody has looked at says nothing, which is 0",
      sets: [unsynced],
      asked: 3,
      pods: 0,
      terminating: 0
    },
    { why: "and is passed over", sets: [rs1, rs2, unsynced], asked: 6, pods: 5, terminating: 4 },
    {
      why: "one that was looked at and does not say: unknown",
      sets: [dropped],
      asked: 1,
      pods: 1,
      terminating: undefined
    },
    {
      why: "and so is the sum",
      sets: [rs1, rs2, unsynced, dropped],
      asked: 7,
      pods: 6,
      terminating: undefined
    },
    { why: "none", sets: [], asked: 0, pods: 0, terminating: 0 }
  ])("$asked asked, $pods there, $terminating terminating: $why", ({ sets, asked, pods, terminating }) => {
    const replicaSets = setsOf(sets)
    expect(specReplicas(replicaSets)).toBe(asked)
    expect(statusReplicas(replicaSets)).toBe(pods)
    expect(countReplicas(aDeployment(), replicaSets, undefined).terminatingReplicas).toBe(terminating)
  })
})

describe("a Deployment's counts", () => {
  it("come from what ReplicaSets report, only the unavailable ones from what they are asked for", () => {
    const old = { version: "v1", replicas: 4, pods: 7, ready: 6, available: 5, terminatingPods: 2 }
    const fresh = { version: "v3", replicas: 9, pods: 3, ready: 2, available: 1, terminatingPods: 0 }
    const seen = anObservation({
      deployment: aDeployment({ replicas: 11, generation: 6 }),
      replicaSets: setsOf([old, fresh])
    })
    expect(seen.counts).toEqual({
      observedGeneration: 6,
      replicas: 10,
      updatedReplicas: 3,
      readyReplicas: 8,
      availableReplicas: 6,
      unavailableReplicas: 7,
      terminatingReplicas: 2
    })
  })

  it("are never negative, also when more is available than asked for", () => {
    const seen = anObservation({ deployment: aDeployment(), replicaSets: setsOf([{ replicas: 2, pods: 5 }]) })
    expect(seen.counts.unavailableReplicas).toBe(0)
    expect(seen.counts.updatedReplicas).toBe(0)
  })
})

interface AvailableRow {
  readonly why: string
  readonly deployment: DeploymentOptions
  readonly available: number
  readonly enough: boolean
}

describe("a Deployment is available when no more Pods are missing than the strategy allows", () => {
  it.each<AvailableRow>([
    { why: "25% of 3 is none", deployment: { replicas: 3 }, available: 2, enough: false },
    { why: "all there", deployment: { replicas: 3 }, available: 3, enough: true },
    { why: "25% of 10 is 2", deployment: { replicas: 10 }, available: 8, enough: true },
    { why: "and not 3", deployment: { replicas: 10 }, available: 7, enough: false },
    {
      why: "Recreate lets none be missing",
      deployment: { replicas: 10, strategy: "Recreate" },
      available: 9,
      enough: false
    },
    { why: "a Deployment of 0 is available", deployment: { replicas: 0 }, available: 0, enough: true },
    {
      why: "neither surge nor unavailability: one may be missing",
      deployment: { replicas: 3, surge: 0, unavailable: 0 },
      available: 2,
      enough: true
    },
    {
      why: "all may be missing",
      deployment: { replicas: 7, unavailable: "100%" },
      available: 0,
      enough: true
    }
  ])("$available of $deployment: $enough: $why", ({ deployment, available, enough }) => {
    const replicaSets = setsOf([
      { version: "v1", replicas: 1, available: Math.min(1, available) },
      { version: "v3", replicas: 9, available: Math.max(0, available - 1) }
    ])
    expect(isDeploymentAvailable(anObservation({ deployment: aDeployment(deployment), replicaSets }))).toBe(
      enough
    )
  })
})

const failure = (reason: string, at: number): DeploymentCondition => ({
  type: "ReplicaFailure",
  status: "True",
  reason,
  message: `${reason} at ${at}`,
  lastTransitionTime: aTime(at)
})

describe("a ReplicaSet's failure is repeated by its Deployment", () => {
  it("the new one's before an old one's, both times being that of the ReplicaSet's", () => {
    const old = aReplicaSet({ version: "v1", conditions: [failure("FailedDelete", 3)] })
    const older = aReplicaSet({ version: "v0", conditions: [failure("FailedCreate", 2)], created: -1 })
    const fresh = aReplicaSet({ version: "v3", conditions: [failure("FailedCreate", 8)] })
    const of = (replicaSets: ReadonlyArray<typeof old>) =>
      replicaFailureOf(anObservation({ deployment: aDeployment(), replicaSets }))
    expect(of([old, fresh])).toEqual({ ...failure("FailedCreate", 8), lastUpdateTime: aTime(8) })
    expect(of([old, older])).toEqual({ ...failure("FailedCreate", 2), lastUpdateTime: aTime(2) })
    expect(of([old, aReplicaSet({ version: "v3" })])).toMatchObject({ reason: "FailedDelete" })
    expect(of([aReplicaSet()])).toBeUndefined()
  })
})

describe("the reports of one decision become one status", () => {
  const now = startMillis + 9_000
  const counts = {
    observedGeneration: 4,
    replicas: 3,
    updatedReplicas: 0,
    readyReplicas: 0,
    availableReplicas: 2,
    unavailableReplicas: 1,
    terminatingReplicas: 0
  }
  const stored = {
    updatedReplicas: 7,
    readyReplicas: 1,
    collisionCount: 2,
    conditions: [failure("FailedCreate", 1)]
  }

  it("counts of 0 are left out, but that of terminating Pods, which may also be unknown", () => {
    expect(withStatusReports(stored, [{ part: "counts", counts }], now)).toEqual({
      observedGeneration: 4,
      replicas: 3,
      availableReplicas: 2,
      unavailableReplicas: 1,
      terminatingReplicas: 0,
      collisionCount: 2,
      conditions: stored.conditions
    })
    const unknown = { ...counts, terminatingReplicas: undefined }
    expect(withStatusReports(stored, [{ part: "counts", counts: unknown }], now)).not.toHaveProperty(
      "terminatingReplicas"
    )
  })

  it("a collision is counted from none", () => {
    expect(withStatusReports({}, [{ part: "collision" }, { part: "collision" }], now).collisionCount).toBe(2)
  })

  it("a failure that lasts is left untouched; one that is over is taken away", () => {
    const again = { ...failure("FailedCreate", 8), message: "another" }
    expect(withStatusReports(stored, [{ part: "replicaFailure", failure: again }], now)).toEqual(stored)
    expect(
      withStatusReports(stored, [{ part: "replicaFailure", failure: undefined }], now).conditions
    ).toEqual([])
  })

  it("another failure replaces it, but what failed has failed since the first", () => {
    const other = { ...failure("FailedDelete", 8), lastUpdateTime: aTime(8) }
    const { conditions } = withStatusReports(stored, [{ part: "replicaFailure", failure: other }], now)
    expect(conditions).toEqual([{ ...other, lastTransitionTime: aTime(1) }])
  })

  it("a condition that is no longer tracked goes, the others stay", () => {
    const both = { conditions: [...stored.conditions, { type: "Progressing", status: "True" }] }
    expect(withStatusReports(both, [{ part: "noCondition", conditionType: "Progressing" }], now)).toEqual({
      conditions: stored.conditions
    })
  })

  it("reports are folded in order: the last word on a condition stands", () => {
    const claim = (reason: string) => ({ type: "Progressing", status: "True", reason, message: "" }) as const
    const { conditions } = withStatusReports(
      {},
      ["First", "Second"].map((it) => ({ part: "condition", claim: claim(it), refresh: false }) as const),
      now
    )
    expect(conditions).toEqual([
      { ...claim("Second"), lastUpdateTime: aTime(9), lastTransitionTime: aTime(9) }
    ])
  })
})

describe("conditions that one decision changes are appended in upstream's order, however it reports them", () => {
  const condition = (claim: typeof availableCondition): DeploymentStatusReport => ({
    part: "condition",
    claim,
    refresh: false
  })
  const seen = anObservation({ deployment: aDeployment(), replicaSets: [aReplicaSet()] })
  const failed: DeploymentStatusReport = { part: "replicaFailure", failure: failure("FailedCreate", 1) }
  const before = ["Progressing", "Available", "ReplicaFailure"]
  const after = ["Available", "Progressing", "ReplicaFailure"]

  it.each([
    { claim: progress.createdCondition("web-1"), order: before },
    { claim: progress.foundCondition("web-1"), order: before },
    { claim: progress.pausedCondition, order: before },
    { claim: progress.resumedCondition, order: before },
    { claim: progress.progressedCondition(seen), order: after },
    { claim: progress.completeCondition(seen), order: after },
    { claim: progress.overdueCondition(seen), order: after }
  ])("with Progressing for $claim.reason: $order", ({ claim, order }) => {
    const [a, b, c] = [condition(claim), condition(availableCondition), failed]
    for (const reports of [
      [a, b, c],
      [a, c, b],
      [b, a, c],
      [b, c, a],
      [c, a, b],
      [c, b, a]
    ]) {
      const { conditions = [] } = withStatusReports({}, reports, startMillis)
      expect(conditions.map(({ type }) => type)).toEqual(order)
    }
  })
})
