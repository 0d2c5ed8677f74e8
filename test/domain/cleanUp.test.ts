import { describe, expect, it } from "vitest"
import { planHistoryCleanUp } from "../../src/kubernetes/apps/revisions/historyCleanUp.ts"
import { aDeployment, anObservation, aReplicaSet } from "../builders.ts"
import type { ReplicaSetOptions } from "../builders.ts"

interface Row {
  readonly why: string
  readonly limit: number | undefined
  /** Old ones, the oldest first; all of them empty and seen where nothing else is said. */
  readonly sets: ReadonlyArray<ReplicaSetOptions>
  readonly gone: string
}

const cleaned = ({ limit, sets }: Pick<Row, "limit" | "sets">): string =>
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

describe("old ReplicaSets beyond the limit go (TestDeploymentController_cleanupDeployment)", () => {
  it.each<Row>([
    { why: "two of three empty ones", limit: 1, sets: [{}, {}, {}], gone: "foo-1 foo-2" },
    {
      why: "only those that are asked for nothing and report nothing",
      limit: 0,
      sets: [{}, { pods: 1 }, { replicas: 1, pods: 0 }, { replicas: 1 }],
      gone: "foo-1"
    },
    { why: "a limit of 0 keeps none", limit: 0, sets: [{}, {}], gone: "foo-1 foo-2" },
    {
      why: "those that run stay whatever the limit",
      limit: 0,
      sets: [{ replicas: 1 }, { replicas: 1 }],
      gone: ""
    },
    { why: "one that is going already is left alone", limit: 0, sets: [{ terminating: true }], gone: "" },
    { why: "and is not counted", limit: 1, sets: [{ terminating: true }, {}, {}], gone: "foo-2" },
    { why: "the largest limit is none", limit: 2147483647, sets: [{}, {}, {}], gone: "" },
    { why: "no limit", limit: undefined, sets: [{}, {}, {}], gone: "" },
    { why: "no more than the limit", limit: 3, sets: [{}, {}, {}], gone: "" },
    {
      why: "one whose controller has not seen its last change may still have Pods",
      limit: 0,
      sets: [
        { generation: 4, observedGeneration: 3 },
        { generation: 4, observedGeneration: 4 }
      ],
      gone: "foo-2"
    }
  ])("limit $limit: '$gone' of $sets.length: $why", (row) => {
    expect(cleaned(row)).toBe(row.gone)
  })
})

describe("the lowest revision goes first (TestDeploymentController_cleanupDeploymentOrder)", () => {
  it.each<Row>([
    {
      why: "in the order of creation",
      limit: 1,
      sets: [{ revision: "1" }, { revision: "2" }],
      gone: "foo-1"
    },
    { why: "against it", limit: 1, sets: [{ revision: "2" }, { revision: "1" }], gone: "foo-2" },
    { why: "no revision is lower than any", limit: 1, sets: [{ revision: "1" }, {}], gone: "foo-2" },
    { why: "and older or newer makes no difference", limit: 1, sets: [{}, { revision: "2" }], gone: "foo-1" },
    {
      why: "numbers, not texts",
      limit: 1,
      sets: [{ revision: "10" }, { revision: "9" }],
      gone: "foo-2"
    },
    {
      why: "among equals the older",
      limit: 1,
      sets: [{ revision: "3" }, { revision: "3" }],
      gone: "foo-1"
    },
    {
      why: "one that cannot be read is compared by age",
      limit: 1,
      sets: [{ revision: "7" }, { revision: "latest" }],
      gone: "foo-1"
    },
    {
      why: "one with Pods is passed over, and none takes its place",
      limit: 1,
      sets: [{ revision: "1", replicas: 1 }, { revision: "2" }, { revision: "3" }],
      gone: "foo-2"
    },
    {
      why: "all that are looked at have Pods",
      limit: 1,
      sets: [{ revision: "1", replicas: 1 }, { revision: "2", replicas: 1 }, { revision: "3" }],
      gone: ""
    },
    {
      why: "four in disorder",
      limit: 2,
      sets: [{ revision: "3" }, { revision: "1" }, { revision: "4" }, { revision: "2" }],
      gone: "foo-2 foo-4"
    }
  ])("limit $limit: '$gone': $why", (row) => {
    expect(cleaned(row)).toBe(row.gone)
  })
})

describe("where a name decides", () => {
  it("ReplicaSets of one second go by name", () => {
    const sets = [
      { name: "b", created: 5 },
      { name: "a", created: 5 },
      { name: "c", created: 4 }
    ]
    expect(cleaned({ limit: 1, sets })).toBe("c a")
  })
})
