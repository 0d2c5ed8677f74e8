import { describe, expect, it } from "vitest"
import { aNode, aPod, startMillis } from "../../builders.ts"
import { makeLedger } from "../../../src/scenario/ledger/ledger.ts"
import { objectChange } from "./objectChange.ts"
import { podRevisionLabel } from "../../../src/kubernetes/apps/controllerRevisions/controllerRevisions.ts"
import type { Change } from "../../../src/store/objectStore.ts"
import type { LedgerExcuse } from "../../../src/faults/faultKind.ts"
import type { KubeObject, Pod } from "../../../src/kubernetes/meta/objects.ts"
import type { WriterName } from "../../../src/runtime/reconciler/currentWriter.ts"

/** Writes of controllers that ours never make; the ledger must detect them. */

const template = {
  metadata: { labels: { app: "x" } },
  spec: { containers: [{ name: "app", image: "app:1" }] }
}
const workload = (apiVersion: string, kind: string, name: string, spec: object): KubeObject =>
  ({
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: "default",
      uid: `uid-of-${name}`,
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      generation: 1
    },
    spec: { template, ...spec },
    status: {}
  }) as unknown as KubeObject

const db = (spec: object = {}) => workload("apps/v1", "StatefulSet", "db", { replicas: 3, ...spec })
const log = (rollingUpdate: object) =>
  workload("apps/v1", "DaemonSet", "log", { updateStrategy: { type: "RollingUpdate", rollingUpdate } })
const sums = (spec: object) => workload("batch/v1", "Job", "sums", spec)

interface Write {
  readonly change: Change
  readonly writer: WriterName
}
const added = (object: KubeObject, writer: WriterName = "client"): Write => ({
  change: objectChange("ADDED", object),
  writer
})
const stopped = (pod: Pod, writer: WriterName): Write => {
  const metadata = { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" }
  return { change: objectChange("MODIFIED", { ...pod, metadata }, pod), writer }
}

const violationsOf = (writes: ReadonlyArray<Write>, hindrance?: LedgerExcuse) => {
  const ledger = makeLedger({ startMillis })
  if (hindrance !== undefined) ledger.excuse(hindrance)
  for (const { change, writer } of writes) ledger.observe(change, startMillis + 1000, writer)
  return ledger
    .violations()
    .map(({ rule, subject, who, what, broken }) => `${rule} ${subject}: ${who} ${what}: ${broken}`)
}

const nodes = ["n1", "n2", "n3"].map((name) => added(aNode({ name })))
const pod = (owner: KubeObject, name: string, more: Parameters<typeof aPod>[0] = {}) =>
  aPod({ name, owner, ready: 0, ...more })
const daemonPod = (owner: KubeObject, node: string, revision: string, ready: number | false = 0) =>
  aPod({ name: `log-${node}-${revision}`, owner, node, ready, labels: { [podRevisionLabel]: revision } })

describe("the rules of workloads that always hold", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly writes: ReadonlyArray<Write>
    readonly violations: ReadonlyArray<string>
  }> = [
    {
      why: "a StatefulSet has no Pod beyond its ordinals",
      writes: [
        added(db()),
        ...[0, 1, 2].map((ordinal) => added(pod(db(), `db-${ordinal}`), "statefulSet")),
        added(pod(db(), "db-3"), "statefulSet")
      ],
      violations: [
        "ordinals default/db: StatefulSet controller created Pod db-3: one Pod for each ordinal, and no other: db-3"
      ]
    },
    {
      why: "nor below ordinals.start, nor two for one ordinal",
      writes: [
        added(db({ ordinals: { start: 5 } })),
        added(pod(db(), "db-4"), "statefulSet"),
        added(pod(db(), "db-5"), "statefulSet"),
        added(pod(db(), "db-05"), "statefulSet")
      ],
      violations: [
        "ordinals default/db: StatefulSet controller created Pod db-4: one Pod for each ordinal, and no other: db-4",
        "ordinals default/db: StatefulSet controller created Pod db-05: one Pod for each ordinal, and no other: db-05"
      ]
    },
    {
      why: "OrderedReady creates a Pod when those below are available, and Parallel at once",
      writes: [
        added(db()),
        added(pod(db(), "db-0"), "statefulSet"),
        added(pod(db(), "db-1", { ready: false }), "statefulSet"),
        added(pod(db(), "db-2"), "statefulSet")
      ],
      violations: [
        "ordered default/db: StatefulSet controller created Pod db-2: with OrderedReady the Pods of all lower ordinals are available: 1 = 2"
      ]
    },
    {
      why: "Parallel creates Pods in any order",
      writes: [
        added(db({ podManagementPolicy: "Parallel" })),
        added(pod(db(), "db-2", { ready: false }), "statefulSet"),
        added(pod(db(), "db-0", { ready: false }), "statefulSet")
      ],
      violations: []
    },
    {
      why: "OrderedReady replaces one Pod at a time, and a client may stop any",
      writes: [
        added(db()),
        ...[0, 1, 2].map((ordinal) => added(pod(db(), `db-${ordinal}`), "statefulSet")),
        stopped(pod(db(), "db-2"), "statefulSet"),
        stopped(pod(db(), "db-1"), "statefulSet"),
        stopped(pod(db(), "db-0"), "client")
      ],
      violations: [
        "ordered default/db: StatefulSet controller told Pod db-1 to stop: with OrderedReady one Pod is replaced at a time: 1 >= 3 - 1"
      ]
    },
    {
      why: "a DaemonSet keeps maxUnavailable",
      writes: [
        ...nodes,
        added(log({ maxUnavailable: 1 })),
        ...["n1", "n2", "n3"].map((node) => added(daemonPod(log({}), node, "a"), "daemonSet")),
        stopped(daemonPod(log({}), "n1", "a"), "daemonSet"),
        stopped(daemonPod(log({}), "n2", "a"), "daemonSet")
      ],
      violations: [
        "floor default/log: DaemonSet controller told Pod log-n2-a to stop: available >= desired - maxUnavailable: 1 >= 2"
      ]
    },
    {
      why: "a Pod that was not available may go, and one of a node that takes none any more",
      writes: [
        added(aNode({ name: "n1" })),
        added(aNode({ name: "n2", spec: { taints: [{ key: "gone", effect: "NoExecute" }] } })),
        added(log({ maxUnavailable: 0, maxSurge: 1 })),
        added(daemonPod(log({}), "n1", "a", false), "daemonSet"),
        added(daemonPod(log({}), "n2", "a"), "daemonSet"),
        stopped(daemonPod(log({}), "n1", "a", false), "daemonSet"),
        stopped(daemonPod(log({}), "n2", "a"), "daemonSet")
      ],
      violations: []
    },
    {
      why: "a DaemonSet keeps maxSurge, and an old Pod goes once the new one beside it is available",
      writes: [
        ...nodes,
        added(log({ maxUnavailable: 0, maxSurge: 1 })),
        ...["n1", "n2", "n3"].map((node) => added(daemonPod(log({}), node, "a"), "daemonSet")),
        added(daemonPod(log({}), "n1", "b", false), "daemonSet"),
        added(daemonPod(log({}), "n2", "b", false), "daemonSet"),
        {
          change: objectChange(
            "MODIFIED",
            daemonPod(log({}), "n1", "b"),
            daemonPod(log({}), "n1", "b", false)
          ),
          writer: "pod"
        },
        stopped(daemonPod(log({}), "n1", "a"), "daemonSet"),
        stopped(daemonPod(log({}), "n2", "a"), "daemonSet")
      ],
      violations: [
        "ceiling default/log: DaemonSet controller created Pod log-n2-b: nodes with two Pods <= maxSurge: 2 <= 1",
        "floor default/log: DaemonSet controller told Pod log-n2-a to stop: available >= desired - maxUnavailable: 2 >= 3"
      ]
    },
    {
      why: "a Job has no more active Pods than its parallelism",
      writes: [
        added(sums({ parallelism: 2 })),
        added(pod(sums({}), "sums-a", { phase: "Succeeded" }), "job"),
        added(pod(sums({}), "sums-b"), "job"),
        added(pod(sums({}), "sums-c"), "job"),
        added(pod(sums({}), "sums-d"), "job")
      ],
      violations: [
        "parallelism default/sums: Job controller created Pod sums-d: active Pods <= parallelism: 3 <= 2"
      ]
    },
    {
      why: "a suspended Job has none",
      writes: [added(sums({ parallelism: 2, suspend: true })), added(pod(sums({}), "sums-a"), "job")],
      violations: [
        "parallelism default/sums: Job controller created Pod sums-a: active Pods <= parallelism: 1 <= 0"
      ]
    }
  ]
  it.each(rows)("$why", ({ writes, violations }) => {
    expect(violationsOf(writes)).toEqual(violations)
  })

  it("excuse a controller that a fault makes late, and no other", () => {
    const writes = [
      added(sums({ parallelism: 0 })),
      added(pod(sums({}), "sums-a"), "job"),
      added(db({ replicas: 0 })),
      added(pod(db(), "db-0"), "statefulSet")
    ]
    const rulesWith = (hindrance: LedgerExcuse) =>
      violationsOf(writes, hindrance).map((text) => text.split(" ")[0])
    expect(rulesWith({ controller: "job", isViewLate: true })).toEqual(["ordinals"])
    expect(rulesWith({ controller: "statefulSet", isViewLate: true })).toEqual(["parallelism"])
    expect(rulesWith({ controller: "controllers", isViewLate: true })).toEqual([])
  })
})
