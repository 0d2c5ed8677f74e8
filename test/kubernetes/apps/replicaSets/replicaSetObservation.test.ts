import { describe, expect, it } from "vitest"
import {
  slowStartBatchSize,
  hasLostPods,
  isAwaitingAvailability,
  missingPodCount,
  replicaSetStatus
} from "../../../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"
import {
  isPodActive,
  isPodFinished,
  isPodReady,
  isPodTerminating,
  readySinceMillis
} from "../../../../src/kubernetes/pods/podState.ts"
import { activeReplicaSets } from "../../../../src/kubernetes/apps/replicaCounts.ts"
import { aPod, aReplicaSet, aTime, startMillis } from "../../../builders.ts"
import type {
  PodCounts,
  ReplicaSetObservation
} from "../../../../src/kubernetes/apps/replicaSets/replicaSetObservation.ts"
import type { PodOptions, ReplicaSetOptions } from "../../../builders.ts"
import type { Pod, ReplicaSetCondition } from "../../../../src/kubernetes/meta/objects.ts"

const none: PodCounts = {
  active: 0,
  fullyLabeled: 0,
  ready: 0,
  available: 0,
  terminating: 0,
  nextAvailableMillis: undefined
}

const observationOf = (
  replicaSet: ReplicaSetOptions,
  pods: Partial<PodCounts> = {},
  adopt: ReadonlyArray<Pod> = []
): ReplicaSetObservation => ({
  replicaSet: aReplicaSet(replicaSet),
  pods: { ...none, ...pods },
  claims: { adopt, release: [] },
  countsTerminating: true,
  nowMillis: startMillis + 9_000
})

describe("the batches of a slow start (TestSlowStartBatch)", () => {
  const batches = (wanted: number): ReadonlyArray<number> => {
    const sizes: Array<number> = []
    let created = 0
    while (created < wanted) {
      const size = slowStartBatchSize({ created, wanted })
      sizes.push(size)
      created += size
    }
    return sizes
  }
  it.each([
    { wanted: 0, sizes: [] },
    { wanted: 1, sizes: [1] },
    { wanted: 2, sizes: [1, 1] },
    { wanted: 3, sizes: [1, 2] },
    { wanted: 6, sizes: [1, 2, 3] },
    { wanted: 12, sizes: [1, 2, 4, 5] },
    { wanted: 500, sizes: [1, 2, 4, 8, 16, 32, 64, 128, 245] }
  ])("for $wanted Pods are $sizes", ({ wanted, sizes }) => {
    expect(batches(wanted)).toEqual(sizes)
  })
})

describe("the missing Pods of a ReplicaSet", () => {
  it.each([
    { why: "none exists", replicas: 3, active: 0, adopted: 0, missing: 3 },
    { why: "all exist", replicas: 3, active: 3, adopted: 0, missing: 0 },
    { why: "too many exist", replicas: 2, active: 7, adopted: 0, missing: -5 },
    { why: "adopted orphans count", replicas: 3, active: 1, adopted: 1, missing: 1 },
    { why: "adopted orphans may be too many", replicas: 1, active: 1, adopted: 2, missing: -2 }
  ])(
    "are $missing of $replicas with $active active and $adopted adopted: $why",
    ({ replicas, active, adopted, missing }) => {
      const adopt = Array.from({ length: adopted }, (_, index) => aPod({ name: `o${index}` }))
      expect(missingPodCount(observationOf({ replicas }, { active }, adopt))).toBe(missing)
    }
  )

  it.each([
    { why: "fewer than it last reported", replicas: 5, reported: 5, active: 4, lost: true },
    { why: "it never had more", replicas: 5, reported: 4, active: 4, lost: false },
    { why: "fewer, as wanted", replicas: 4, reported: 5, active: 4, lost: false },
    { why: "still growing", replicas: 5, reported: 0, active: 2, lost: false }
  ])("were lost: $lost: $why", ({ replicas, reported, active, lost }) => {
    expect(hasLostPods(observationOf({ replicas, pods: reported }, { active }))).toBe(lost)
  })

  it("are awaited as available while a ready Pod is not yet (TestReplicaSetAvailabilityCheck)", () => {
    expect(isAwaitingAvailability(observationOf({}, { nextAvailableMillis: startMillis }))).toBe(true)
    expect(isAwaitingAvailability(observationOf({}, { ready: 3, available: 3 }))).toBe(false)
  })
})

describe("a ReplicaSet's status (TestCalculateStatus)", () => {
  it("has every count that is not 0, and the observed generation", () => {
    const counts = { active: 7, fullyLabeled: 6, ready: 5, available: 3, terminating: 2 }
    expect(replicaSetStatus(observationOf({ generation: 4 }, counts))).toEqual({
      replicas: 7,
      fullyLabeledReplicas: 6,
      readyReplicas: 5,
      availableReplicas: 3,
      terminatingReplicas: 2,
      observedGeneration: 4
    })
    expect(replicaSetStatus(observationOf({ generation: 4 }))).toEqual({
      replicas: 0,
      terminatingReplicas: 0,
      observedGeneration: 4
    })
  })
})

const failed = (reason: string, at: number): ReplicaSetCondition => ({
  type: "ReplicaFailure",
  status: "True",
  reason,
  message: `it was ${reason}`,
  lastTransitionTime: aTime(at)
})

describe("the condition ReplicaFailure (TestCalculateStatusConditions)", () => {
  const createFailure = { reason: "FailedCreate", message: "it was FailedCreate" } as const
  const custom = { type: "Custom", status: "True" }
  it.each([
    {
      why: "manageReplicasErr && no RSFailed",
      before: [],
      failure: createFailure,
      after: [failed("FailedCreate", 9)]
    },
    {
      why: "another condition stays",
      before: [custom],
      failure: createFailure,
      after: [custom, failed("FailedCreate", 9)]
    },
    {
      why: "manageReplicasErr && existing RSFailed: time and message stay",
      before: [failed("FailedCreate", 1), custom],
      failure: { ...createFailure, message: "another" },
      after: [failed("FailedCreate", 1), custom]
    },
    {
      why: "a failure to delete does not replace a failure to create",
      before: [failed("FailedCreate", 1)],
      failure: { reason: "FailedDelete", message: "no" } as const,
      after: [failed("FailedCreate", 1)]
    },
    {
      why: "no manageReplicasErr && existing RSFailed",
      before: [failed("FailedDelete", 1)],
      failure: undefined,
      after: undefined
    },
    {
      why: "no manageReplicasErr, another condition stays",
      before: [failed("FailedDelete", 1), custom],
      failure: undefined,
      after: [custom]
    },
    { why: "no manageReplicasErr && no RSFailed", before: [], failure: undefined, after: undefined }
  ])("$why", ({ before, failure, after }) => {
    expect(replicaSetStatus(observationOf({ conditions: before }), failure).conditions).toEqual(after)
  })
})

interface PodRow {
  readonly options: PodOptions
  readonly facts: string
}

describe("a Pod for its ReplicaSet (TestActivePodFiltering)", () => {
  it.each<PodRow>([
    { options: { phase: "Pending" }, facts: "active" },
    { options: { phase: "Running" }, facts: "active" },
    { options: { phase: "Running", ready: 3 }, facts: "active ready" },
    { options: { phase: "Running", ready: true }, facts: "active ready" },
    { options: { phase: "Unknown" }, facts: "active" },
    { options: { phase: "Succeeded" }, facts: "finished" },
    { options: { phase: "Failed" }, facts: "finished" },
    { options: { terminating: true }, facts: "terminating" },
    { options: { terminating: true, ready: 3 }, facts: "terminating ready" },
    { options: { terminating: true, phase: "Failed" }, facts: "finished" }
  ])("is $facts with $options", ({ options, facts }) => {
    const pod = aPod(options)
    const actual = [
      isPodActive(pod) ? "active" : "",
      isPodTerminating(pod) ? "terminating" : "",
      isPodFinished(pod) ? "finished" : "",
      isPodReady(pod) ? "ready" : ""
    ]
    expect(actual.filter((it) => it !== "").join(" ")).toBe(facts)
  })

  it.each([
    { ready: 7, since: startMillis + 7_000 },
    { ready: true, since: undefined },
    { ready: false, since: undefined }
  ])("with ready $ready is ready since $since", ({ ready, since }) => {
    expect(readySinceMillis(aPod({ ready }))).toBe(since)
  })

  it("belongs to an active ReplicaSet when that wants any Pod (TestActiveReplicaSetsFiltering)", () => {
    const sets = [0, 1, 2].map((replicas) => aReplicaSet({ version: `v${replicas}`, replicas, pods: 5 }))
    expect(activeReplicaSets(sets)).toEqual(sets.slice(1))
  })
})
