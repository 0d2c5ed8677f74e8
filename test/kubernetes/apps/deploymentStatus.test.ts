import { describe, expect, it } from "vitest"
import {
  availableCondition,
  isDeploymentAvailable,
  replicaFailureOf,
  withStatusReports,
  type DeploymentStatusReport
} from "../../../src/kubernetes/apps/deploymentStatus.ts"
import * as progress from "../../../src/kubernetes/apps/progress.ts"
import { countReplicas, specReplicas, statusReplicas } from "../../../src/kubernetes/apps/replicaCounts.ts"
import { aDeployment, anObservation, aReplicaSet, aTime, startMillis } from "../../builders.ts"
import type { DeploymentOptions, ReplicaSetOptions } from "../../builders.ts"
import type { DeploymentCondition } from "../../../src/kubernetes/meta/objects.ts"

const setsOf = (sets: ReadonlyArray<ReplicaSetOptions>) => sets.map((it) => aReplicaSet(it))

describe("replica counts of several ReplicaSets (TestGetReplicaCountForReplicaSets)", () => {
  const rs1: ReplicaSetOptions = { version: "v1", replicas: 1, pods: 2, terminatingPods: 3 }
  const rs2: ReplicaSetOptions = { version: "v2", replicas: 2, pods: 3, terminatingPods: 1 }
  const unsynced: ReplicaSetOptions = { version: "v3", replicas: 3, pods: 0, observedGeneration: 0 }
  const withoutCount: ReplicaSetOptions = { version: "v4", replicas: 1 }
  it.each([
    { why: "one ReplicaSet", sets: [rs1], wanted: 1, pods: 2, terminating: 3 },
    { why: "two ReplicaSets", sets: [rs1, rs2], wanted: 3, pods: 5, terminating: 4 },
    {
      why: "a ReplicaSet that is not observed yet counts as 0",
      sets: [unsynced],
      wanted: 3,
      pods: 0,
      terminating: 0
    },
    {
      why: "an unobserved ReplicaSet beside others counts as 0",
      sets: [rs1, rs2, unsynced],
      wanted: 6,
      pods: 5,
      terminating: 4
    },
    {
      why: "an observed ReplicaSet without terminatingReplicas makes them unknown",
      sets: [withoutCount],
      wanted: 1,
      pods: 1,
      terminating: undefined
    },
    {
      why: "the sum is unknown as well",
      sets: [rs1, rs2, unsynced, withoutCount],
      wanted: 7,
      pods: 6,
      terminating: undefined
    },
    { why: "no ReplicaSets", sets: [], wanted: 0, pods: 0, terminating: 0 }
  ])(
    "$wanted in spec, $pods in status, $terminating terminating: $why",
    ({ sets, wanted, pods, terminating }) => {
      const replicaSets = setsOf(sets)
      expect(specReplicas(replicaSets)).toBe(wanted)
      expect(statusReplicas(replicaSets)).toBe(pods)
      expect(countReplicas(aDeployment(), replicaSets, undefined).terminatingReplicas).toBe(terminating)
    }
  )
})

describe("the counts of a Deployment", () => {
  it("come from the status of ReplicaSets, the unavailable ones from their spec", () => {
    const old = { version: "v1", replicas: 4, pods: 7, ready: 6, available: 5, terminatingPods: 2 }
    const fresh = { version: "v3", replicas: 9, pods: 3, ready: 2, available: 1, terminatingPods: 0 }
    const observation = anObservation({
      deployment: aDeployment({ replicas: 11, generation: 6 }),
      replicaSets: setsOf([old, fresh])
    })
    expect(observation.counts).toEqual({
      observedGeneration: 6,
      replicas: 10,
      updatedReplicas: 3,
      readyReplicas: 8,
      availableReplicas: 6,
      unavailableReplicas: 7,
      terminatingReplicas: 2
    })
  })

  it("are never negative, even when more Pods are available than wanted", () => {
    const observation = anObservation({
      deployment: aDeployment(),
      replicaSets: setsOf([{ replicas: 2, pods: 5 }])
    })
    expect(observation.counts.unavailableReplicas).toBe(0)
    expect(observation.counts.updatedReplicas).toBe(0)
  })
})

interface AvailableRow {
  readonly why: string
  readonly deployment: DeploymentOptions
  readonly available: number
  readonly enough: boolean
}

describe("the availability of a Deployment", () => {
  it.each<AvailableRow>([
    { why: "25% of 3 is 0", deployment: { replicas: 3 }, available: 2, enough: false },
    { why: "all are available", deployment: { replicas: 3 }, available: 3, enough: true },
    { why: "25% of 10 is 2", deployment: { replicas: 10 }, available: 8, enough: true },
    { why: "25% of 10 is not 3", deployment: { replicas: 10 }, available: 7, enough: false },
    {
      why: "Recreate tolerates no unavailable Pod",
      deployment: { replicas: 10, strategy: "Recreate" },
      available: 9,
      enough: false
    },
    { why: "a Deployment of 0 is available", deployment: { replicas: 0 }, available: 0, enough: true },
    {
      why: "1 may be unavailable when both maxSurge and maxUnavailable are 0",
      deployment: { replicas: 3, surge: 0, unavailable: 0 },
      available: 2,
      enough: true
    },
    {
      why: "100% may be unavailable",
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

describe("the ReplicaFailure condition of a Deployment", () => {
  it("copies that of the new ReplicaSet before that of an old one, with its time", () => {
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

describe("folding the reports of one look into a status", () => {
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

  it("drops counts of 0, except for terminating Pods, whose count may be unknown", () => {
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

  it("counts collisions from 0", () => {
    expect(withStatusReports({}, [{ part: "collision" }, { part: "collision" }], now).collisionCount).toBe(2)
  })

  it("keeps a failure that lasts and removes one that is over", () => {
    const again = { ...failure("FailedCreate", 8), message: "another" }
    expect(withStatusReports(stored, [{ part: "replicaFailure", failure: again }], now)).toEqual(stored)
    expect(
      withStatusReports(stored, [{ part: "replicaFailure", failure: undefined }], now).conditions
    ).toEqual([])
  })

  it("replaces a failure by another, with the transition time of the first", () => {
    const secondFailure = { ...failure("FailedDelete", 8), lastUpdateTime: aTime(8) }
    const { conditions } = withStatusReports(
      stored,
      [{ part: "replicaFailure", failure: secondFailure }],
      now
    )
    expect(conditions).toEqual([{ ...secondFailure, lastTransitionTime: aTime(1) }])
  })

  it("removes a condition that is no longer tracked", () => {
    const both = { conditions: [...stored.conditions, { type: "Progressing", status: "True" }] }
    expect(withStatusReports(both, [{ part: "noCondition", conditionType: "Progressing" }], now)).toEqual({
      conditions: stored.conditions
    })
  })

  it("applies reports in order, so that the last one for a condition wins", () => {
    const progressing = (reason: string) =>
      ({ type: "Progressing", status: "True", reason, message: "" }) as const
    const { conditions } = withStatusReports(
      {},
      ["First", "Second"].map(
        (it) => ({ part: "condition", condition: progressing(it), refresh: false }) as const
      ),
      now
    )
    expect(conditions).toEqual([
      { ...progressing("Second"), lastUpdateTime: aTime(9), lastTransitionTime: aTime(9) }
    ])
  })
})

describe("the order of conditions that one look changes", () => {
  const condition = (condition: typeof availableCondition): DeploymentStatusReport => ({
    part: "condition",
    condition,
    refresh: false
  })
  const observation = anObservation({ deployment: aDeployment(), replicaSets: [aReplicaSet()] })
  const failed: DeploymentStatusReport = { part: "replicaFailure", failure: failure("FailedCreate", 1) }
  const before = ["Progressing", "Available", "ReplicaFailure"]
  const after = ["Available", "Progressing", "ReplicaFailure"]

  it.each([
    { claim: progress.replicaSetCreatedCondition("web-1"), order: before },
    { claim: progress.replicaSetFoundCondition("web-1"), order: before },
    { claim: progress.pausedCondition, order: before },
    { claim: progress.resumedCondition, order: before },
    { claim: progress.progressedCondition(observation), order: after },
    { claim: progress.completeCondition(observation), order: after },
    { claim: progress.overdueCondition(observation), order: after }
  ])(
    "with Progressing for $claim.reason is $order, in whatever order they are reported",
    ({ claim, order }) => {
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
    }
  )
})
