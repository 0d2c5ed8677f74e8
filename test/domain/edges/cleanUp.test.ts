import { describe, expect, it } from "vitest"
import { planHistoryCleanUp } from "../../../src/kubernetes/apps/revisions/historyCleanUp.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../builders.ts"
import type { ReplicaSet } from "../../../src/kubernetes/meta/objects.ts"

const cleaned = (limit: number, replicaSets: ReadonlyArray<ReplicaSet>): ReadonlyArray<string> =>
  planHistoryCleanUp(
    anObservation({ deployment: aDeployment({ version: "v9", historyLimit: limit }), replicaSets })
  ).map(({ metadata }) => metadata.name)

const old = (index: number, revision: string): ReplicaSet =>
  aReplicaSet({ name: `foo-${index}`, created: index, replicas: 0, revision })

describe("how many old ReplicaSets go", () => {
  it("none when there are fewer than the limit, however many fewer", () => {
    const three = [old(1, "1"), old(2, "2"), old(3, "3")]
    expect([3, 4, 5, 6, 11].map((limit) => cleaned(limit, three))).toEqual([[], [], [], [], []])
  })
})

describe("which of many go first", () => {
  it("the lowest revision, and of one revision the oldest, also where there are too many to sort by hand", () => {
    const revisionOf = (index: number): number => (index < 41 ? 5 : 3)
    const sets = Array.from({ length: 83 }, (_, index) => old(index, String(revisionOf(index))))
    const lowest = Array.from({ length: 42 }, (_, index) => `foo-${41 + index}`)
    const next = ["foo-0", "foo-1", "foo-2", "foo-3", "foo-4"]
    expect(cleaned(83 - 47, sets)).toEqual([...lowest, ...next])
  })
})

describe("what has not been reported yet", () => {
  const silent = (generation: number | undefined): ReplicaSet => {
    const { generation: _generation, ...metadata } = old(1, "1").metadata
    return {
      ...old(1, "1"),
      metadata: generation === undefined ? metadata : { ...metadata, generation },
      status: { replicas: 0 }
    }
  }

  it.each([
    { why: "nobody has looked at it since it was made", generation: 1, gone: [] },
    { why: "it has no generation to look at", generation: undefined, gone: ["foo-1"] }
  ])("an empty status counts as no Pods and nothing seen: $why", ({ generation, gone }) => {
    expect(cleaned(0, [silent(generation)])).toEqual(gone)
  })
})
