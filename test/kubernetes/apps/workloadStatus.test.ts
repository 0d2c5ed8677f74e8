import { describe, expect, it } from "vitest"
import { parseWorkloadName } from "../../../src/kubernetes/apps/workloadNames.ts"
import { workloadStatus } from "../../../src/kubernetes/apps/workloadStatus.ts"
import { resources } from "../../../src/kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../../src/kubernetes/meta/objects.ts"
import type { WorkloadResource } from "../../../src/kubernetes/apps/workloadStatus.ts"

interface Row {
  readonly why: string
  readonly spec?: object
  readonly status: object
  readonly is: string
}

const statusOf = (resource: WorkloadResource, { spec, status }: Row, defaults: object): string => {
  const object = { metadata: { name: "x", generation: 2 }, spec: { ...defaults, ...spec }, status }
  const { state, message } = workloadStatus(resource, object as unknown as KubeObject)
  return `${state}: ${message}`
}

describe("a StatefulSet of 3, in kubectl's words (TestStatefulSetStatusViewerStatus)", () => {
  const observed = { observedGeneration: 2, replicas: 3 }
  const partitioned = (partition: number) => ({
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } }
  })
  const rows: ReadonlyArray<Row> = [
    {
      why: "never observed",
      status: {},
      is: "waiting: Waiting for statefulset spec update to be observed..."
    },
    {
      why: "an unobserved generation comes before the counts",
      status: { observedGeneration: 1, readyReplicas: 1 },
      is: "waiting: Waiting for statefulset spec update to be observed..."
    },
    {
      why: "Pods are not ready",
      status: { ...observed, readyReplicas: 1 },
      is: "waiting: Waiting for 2 pods to be ready..."
    },
    {
      why: "the partition's Pods are not all updated",
      spec: partitioned(1),
      status: { ...observed, readyReplicas: 3, updatedReplicas: 1 },
      is: "waiting: Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated..."
    },
    {
      why: "they are",
      spec: partitioned(1),
      status: { ...observed, readyReplicas: 3, updatedReplicas: 2 },
      is: "complete: partitioned roll out complete: 2 new pods have been updated..."
    },
    {
      why: "without a partition, the update revision is not the current one",
      spec: { updateStrategy: { type: "RollingUpdate" } },
      status: {
        ...observed,
        readyReplicas: 3,
        updatedReplicas: 2,
        currentRevision: "a",
        updateRevision: "b"
      },
      is: "waiting: waiting for statefulset rolling update to complete 2 pods at revision b..."
    },
    {
      why: "it is",
      spec: { updateStrategy: { type: "RollingUpdate" } },
      status: {
        ...observed,
        readyReplicas: 3,
        currentReplicas: 3,
        currentRevision: "b",
        updateRevision: "b"
      },
      is: "complete: statefulset rolling update complete 3 pods at revision b..."
    },
    {
      why: "OnDelete does not wait for the update",
      spec: { updateStrategy: { type: "OnDelete" } },
      status: { ...observed, readyReplicas: 3, currentRevision: "a", updateRevision: "b" },
      is: "complete: 3 pods are ready"
    }
  ]
  it.each(rows)("$why: $is", (row) => {
    expect(statusOf(resources.statefulSets, row, { replicas: 3 })).toBe(row.is)
  })
})

describe("a DaemonSet on 3 nodes, in kubectl's words (TestDaemonSetStatusViewerStatus)", () => {
  const observed = { observedGeneration: 2, desiredNumberScheduled: 3 }
  const rows: ReadonlyArray<Row> = [
    {
      why: "not observed",
      status: { desiredNumberScheduled: 0 },
      is: "waiting: Waiting for daemon set spec update to be observed..."
    },
    {
      why: "old Pods remain",
      status: { ...observed, updatedNumberScheduled: 1, numberAvailable: 3 },
      is: 'waiting: Waiting for daemon set "x" rollout to finish: 1 out of 3 new pods have been updated...'
    },
    {
      why: "new Pods are not available yet",
      status: { ...observed, updatedNumberScheduled: 3, numberAvailable: 2 },
      is: 'waiting: Waiting for daemon set "x" rollout to finish: 2 of 3 updated pods are available...'
    },
    {
      why: "all are",
      status: { ...observed, updatedNumberScheduled: 3, numberAvailable: 3 },
      is: 'complete: daemon set "x" successfully rolled out'
    },
    {
      why: "OnDelete does not wait for the update",
      spec: { updateStrategy: { type: "OnDelete" } },
      status: { ...observed, updatedNumberScheduled: 1, numberAvailable: 3 },
      is: 'complete: daemon set "x" successfully rolled out'
    }
  ]
  it.each(rows)("$why: $is", (row) => {
    expect(statusOf(resources.daemonSets, row, {})).toBe(row.is)
  })
})

describe("a Job", () => {
  const condition = (type: string, message?: string) => ({ conditions: [{ type, status: "True", message }] })
  const rows: ReadonlyArray<Row> = [
    {
      why: "of three completions that has one",
      spec: { completions: 3 },
      status: { succeeded: 1, active: 2, failed: 1 },
      is: 'waiting: Waiting for job "x" to complete: 1 of 3 completions, 2 active, 1 failed...'
    },
    { why: "that is suspended", spec: { suspend: true }, status: {}, is: 'waiting: job "x" is suspended' },
    {
      why: "whose last Pods are still to end",
      status: { ...condition("SuccessCriteriaMet"), succeeded: 1 },
      is: 'waiting: Waiting for job "x" to complete: 1 of 1 completions, 0 active, 0 failed...'
    },
    {
      why: "with the condition Complete",
      status: condition("Complete"),
      is: 'complete: job "x" is complete'
    },
    {
      why: "with the condition Failed",
      status: condition("Failed", "Job has reached the specified backoff limit"),
      is: 'failed: job "x" has failed: Job has reached the specified backoff limit'
    }
  ]
  it.each(rows)("$why: $is", (row) => {
    expect(statusOf(resources.jobs, row, { parallelism: 1 })).toBe(row.is)
  })
})

describe("the name of a workload", () => {
  const rows: ReadonlyArray<readonly [text: string, is: string | undefined]> = [
    ["web", "deployments.apps web"],
    ["deploy/web", "deployments.apps web"],
    ["deployments.v1.apps/web", "deployments.apps web"],
    ["sts/db", "statefulsets.apps db"],
    ["StatefulSet/db", "statefulsets.apps db"],
    ["daemonsets.apps/log", "daemonsets.apps log"],
    ["job/once", "jobs.batch once"],
    ["pod/web-1", undefined],
    ["web/", undefined],
    ["sts/db/0", undefined],
    ["", undefined]
  ]
  it.each(rows)("%j is %s", (text, is) => {
    const { resource, name } = parseWorkloadName(text) ?? {}
    expect(resource === undefined ? undefined : `${resource} ${name}`).toBe(is)
  })
})
