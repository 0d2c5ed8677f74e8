import { describe, expect, it } from "vitest"
import { planHistoryCleanUp } from "../../../../src/kubernetes/apps/revisions/historyCleanUp.ts"
import { aDeployment, anObservation, aReplicaSet } from "../../../builders.ts"
import type { ReplicaSetOptions } from "../../../builders.ts"

interface Row {
  readonly why: string
  readonly limit: number | undefined
  /** Old ReplicaSets, the oldest first; scaled to 0 and observed by default. */
  readonly sets: ReadonlyArray<ReplicaSetOptions>
  readonly deleted: string
}

const namesToDelete = ({ limit, sets }: Pick<Row, "limit" | "sets">): string =>
  planHistoryCleanUp(
    anObservation({
      deployment: aDeployment({ version: "v9", historyLimit: limit }),
      replicaSets: [
        ...sets.map((it, index) =>
          aReplicaSet({ name: `foo-${index + 1}`, created: index, replicas: 0, ...it })
        ),
        aReplicaSet({ version: "v9", created: 99, replicas: 0 })
      ]
    })
  )
    .map(({ metadata }) => metadata.name)
    .join(" ")

describe("clean-up of old ReplicaSets beyond the limit (TestDeploymentController_cleanupDeployment)", () => {
  it.each<Row>([
    { why: "two of three with 0 replicas", limit: 1, sets: [{}, {}, {}], deleted: "foo-1 foo-2" },
    {
      why: "only those with 0 replicas in spec and status",
      limit: 0,
      sets: [{}, { pods: 1 }, { replicas: 1, pods: 0 }, { replicas: 1 }],
      deleted: "foo-1"
    },
    { why: "a limit of 0 keeps none", limit: 0, sets: [{}, {}], deleted: "foo-1 foo-2" },
    {
      why: "those with replicas stay",
      limit: 0,
      sets: [{ replicas: 1 }, { replicas: 1 }],
      deleted: ""
    },
    { why: "a terminating ReplicaSet is skipped", limit: 0, sets: [{ terminating: true }], deleted: "" },
    {
      why: "a terminating ReplicaSet is not counted",
      limit: 1,
      sets: [{ terminating: true }, {}, {}],
      deleted: "foo-2"
    },
    { why: "the largest limit means no limit", limit: 2147483647, sets: [{}, {}, {}], deleted: "" },
    { why: "no limit", limit: undefined, sets: [{}, {}, {}], deleted: "" },
    { why: "fewer than the limit", limit: 3, sets: [{}, {}, {}], deleted: "" },
    {
      why: "an unobserved generation may still have Pods",
      limit: 0,
      sets: [
        { generation: 4, observedGeneration: 3 },
        { generation: 4, observedGeneration: 4 }
      ],
      deleted: "foo-2"
    }
  ])("limit $limit deletes '$deleted' of $sets.length: $why", (row) => {
    expect(namesToDelete(row)).toBe(row.deleted)
  })
})

describe("the order of the clean-up (TestDeploymentController_cleanupDeploymentOrder)", () => {
  it.each<Row>([
    {
      why: "in the order of creation",
      limit: 1,
      sets: [{ revision: "1" }, { revision: "2" }],
      deleted: "foo-1"
    },
    {
      why: "against the order of creation",
      limit: 1,
      sets: [{ revision: "2" }, { revision: "1" }],
      deleted: "foo-2"
    },
    { why: "a missing revision is lowest", limit: 1, sets: [{ revision: "1" }, {}], deleted: "foo-2" },
    {
      why: "a missing revision is lowest in either order",
      limit: 1,
      sets: [{}, { revision: "2" }],
      deleted: "foo-1"
    },
    {
      why: "revisions are numbers",
      limit: 1,
      sets: [{ revision: "10" }, { revision: "9" }],
      deleted: "foo-2"
    },
    {
      why: "equal revisions go by age",
      limit: 1,
      sets: [{ revision: "3" }, { revision: "3" }],
      deleted: "foo-1"
    },
    {
      why: "an invalid revision goes by age",
      limit: 1,
      sets: [{ revision: "7" }, { revision: "latest" }],
      deleted: "foo-1"
    },
    {
      why: "a ReplicaSet with Pods is skipped without a replacement",
      limit: 1,
      sets: [{ revision: "1", replicas: 1 }, { revision: "2" }, { revision: "3" }],
      deleted: "foo-2"
    },
    {
      why: "all candidates have Pods",
      limit: 1,
      sets: [{ revision: "1", replicas: 1 }, { revision: "2", replicas: 1 }, { revision: "3" }],
      deleted: ""
    },
    {
      why: "four revisions out of order",
      limit: 2,
      sets: [{ revision: "3" }, { revision: "1" }, { revision: "4" }, { revision: "2" }],
      deleted: "foo-2 foo-4"
    }
  ])("limit $limit deletes '$deleted': $why", (row) => {
    expect(namesToDelete(row)).toBe(row.deleted)
  })
})

describe("the clean-up among equal creation times", () => {
  it("goes by name", () => {
    const sets = [
      { name: "b", created: 5 },
      { name: "a", created: 5 },
      { name: "c", created: 4 }
    ]
    expect(namesToDelete({ limit: 1, sets })).toBe("c a")
  })
})
