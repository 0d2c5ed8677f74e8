import { describe, expect, it } from "vitest"
import { planHistoryCleanUp } from "../../../../src/kubernetes/apps/revisions/historyCleanUp.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../../builders.ts"
import type { ReplicaSet } from "../../../../src/kubernetes/meta/objects.ts"

const namesToDelete = (limit: number, replicaSets: ReadonlyArray<ReplicaSet>): ReadonlyArray<string> =>
  planHistoryCleanUp(
    anObservation({ deployment: aDeployment({ version: "v9", historyLimit: limit }), replicaSets })
  ).map(({ metadata }) => metadata.name)

const old = (index: number, revision: string): ReplicaSet =>
  aReplicaSet({ name: `foo-${index}`, created: index, replicas: 0, revision })

describe("the number of old ReplicaSets that are deleted", () => {
  it("is 0 when there are no more than the limit", () => {
    const three = [old(1, "1"), old(2, "2"), old(3, "3")]
    expect([3, 4, 5, 6, 11].map((limit) => namesToDelete(limit, three))).toEqual([[], [], [], [], []])
  })
})

describe("the order of deletion", () => {
  it("is by lowest revision, then by age, among many ReplicaSets", () => {
    const revisionOf = (index: number): number => (index < 41 ? 5 : 3)
    const sets = Array.from({ length: 83 }, (_, index) => old(index, String(revisionOf(index))))
    const lowest = Array.from({ length: 42 }, (_, index) => `foo-${41 + index}`)
    const next = ["foo-0", "foo-1", "foo-2", "foo-3", "foo-4"]
    expect(namesToDelete(83 - 47, sets)).toEqual([...lowest, ...next])
  })
})

describe("an old ReplicaSet with an empty status", () => {
  const withoutStatus = (generation: number | undefined): ReplicaSet => {
    const { generation: _generation, ...metadata } = old(1, "1").metadata
    return {
      ...old(1, "1"),
      metadata: generation === undefined ? metadata : { ...metadata, generation },
      status: { replicas: 0 }
    }
  }

  it.each([
    { why: "has an unobserved generation and is kept", generation: 1, deleted: [] },
    { why: "without a generation is deleted", generation: undefined, deleted: ["foo-1"] }
  ])("counts as without Pods and unobserved: $why", ({ generation, deleted }) => {
    expect(namesToDelete(0, [withoutStatus(generation)])).toEqual(deleted)
  })
})
