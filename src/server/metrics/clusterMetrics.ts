import { groupResourceOf, resources, storedKindOf, type Kind } from "../../kubernetes/meta/kinds.ts"
import type { MetricFamily, MetricSample } from "./metricsText.ts"
import type { QueueMeter, QueueMeters } from "../../runtime/workers/queueMeters.ts"
import type { ClusterView } from "../../store/objectStore.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"

/**
 * Counts objects when metrics are read; work queues count their keys all the time.
 *
 * Source: apiserver/pkg/storage/etcd3/metrics/metrics.go, pkg/scheduler/metrics/metrics.go,
 * component-base/metrics/prometheus/workqueue/metrics.go; sigs.k8s.io/controller-runtime,
 * pkg/internal/controller/metrics/metrics.go.
 */
export const clusterMetrics = (
  view: ClusterView["Service"],
  queues: QueueMeters
): ReadonlyArray<MetricFamily> => [
  ...storeMetrics(view),
  ...queueMetrics(queues),
  {
    name: "scheduler_pending_pods",
    type: "gauge",
    help: "Pods without a node: those that wait for their turn, fit on no node, or have scheduling gates.",
    samples: pendingPods(view.all(resources.pods))
  }
]

const storeMetrics = (view: ClusterView["Service"]): ReadonlyArray<MetricFamily> => {
  const kinds = view.kinds
    .served()
    .filter((kind) => storedKindOf(kind) === kind && kind.verbs.includes("get"))
  const storedByKind = kinds.map((kind) => storedObjects(view, kind))
  const samplesPerResource = (valueOf: (stored: StoredObjects) => number): ReadonlyArray<MetricSample> =>
    storedByKind.map((stored) => ({
      labels: { group: stored.kind.group, resource: stored.kind.plural },
      value: valueOf(stored)
    }))
  return [
    {
      name: "apiserver_storage_objects",
      type: "gauge",
      help: "Stored objects by resource. Since 1.34 apiserver_resource_objects has the group, too.",
      samples: storedByKind.map(({ kind, count }) => ({
        labels: { resource: groupResourceOf(kind) },
        value: count
      }))
    },
    {
      name: "apiserver_resource_objects",
      type: "gauge",
      help: "Stored objects by group and resource.",
      samples: samplesPerResource(({ count }) => count)
    },
    {
      name: "apiserver_resource_size_estimate_bytes",
      type: "gauge",
      help: "Size of the stored objects as JSON, estimated from some of each resource.",
      samples: samplesPerResource(({ bytes }) => bytes)
    },
    {
      name: "apiserver_storage_size_bytes",
      type: "gauge",
      help: "Size of all stored objects as JSON, estimated.",
      samples: [
        {
          labels: { storage_cluster_id: "memory" },
          value: storedByKind.reduce((sum, { bytes }) => sum + bytes, 0)
        }
      ]
    }
  ]
}

interface StoredObjects {
  readonly kind: Kind
  readonly count: number
  readonly bytes: number
}

/** The most objects of a resource that are measured; the size of all is estimated from them. */
const sampleSizeMax = 10

const storedObjects = (view: ClusterView["Service"], kind: Kind): StoredObjects => {
  let count = 0
  let measuredBytes = 0
  for (const object of view.all(groupResourceOf(kind))) {
    if (count < sampleSizeMax) measuredBytes += Buffer.byteLength(JSON.stringify(object))
    count += 1
  }
  const bytes = count === 0 ? 0 : Math.round((measuredBytes / Math.min(count, sampleSizeMax)) * count)
  return { kind, count, bytes }
}

const queueMetrics = (queues: QueueMeters): ReadonlyArray<MetricFamily> => {
  const entries = [...queues].map(([owner, meter]) => [queueNames[owner] ?? snakeCase(owner), meter] as const)
  const samplesPerQueue = (valueOf: (meter: QueueMeter) => number): ReadonlyArray<MetricSample> =>
    entries.map(([name, meter]) => ({ labels: { name }, value: valueOf(meter) }))
  return [
    {
      name: "workqueue_depth",
      type: "gauge",
      help: "Keys that wait in a controller's work queue.",
      samples: samplesPerQueue(({ depth }) => depth())
    },
    {
      name: "workqueue_adds_total",
      type: "counter",
      help: "Keys that were added to a work queue while they did not wait there.",
      samples: samplesPerQueue(({ added }) => added)
    },
    {
      name: "workqueue_retries_total",
      type: "counter",
      help: "Keys that were added to a work queue after a delay.",
      samples: samplesPerQueue(({ delayed }) => delayed)
    },
    {
      name: "controller_runtime_reconcile_total",
      type: "counter",
      help: "Keys that a controller has handled, by result.",
      samples: entries.flatMap(([controller, { handled, failed }]) => [
        { labels: { controller, result: "success" }, value: handled - failed },
        { labels: { controller, result: "error" }, value: failed }
      ])
    }
  ]
}

/** Kubernetes' names of work queues, where they differ from the controller's name by more than case. */
const queueNames: Readonly<Record<string, string>> = {
  replicaSet: "replicaset",
  node: "node_lifecycle_controller",
  garbageCollector: "garbage_collector_attempt_to_delete",
  podGarbageCollector: "orphaned_pods_nodes",
  endpoints: "endpoint",
  disruptionBudget: "disruption",
  resourceQuota: "resourcequota_primary",
  serviceAccounts: "serviceaccount",
  customResources: "crd_finalizer"
}

const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const pendingPods = (pods: Iterable<Pod>): ReadonlyArray<MetricSample> => {
  const counts = { active: 0, gated: 0, unschedulable: 0 }
  for (const { spec, status } of pods) {
    if (spec.nodeName !== undefined || status.phase !== "Pending") continue
    const scheduled = status.conditions?.find(({ type }) => type === "PodScheduled")
    if (scheduled?.reason === "SchedulingGated") counts.gated += 1
    else if (scheduled?.reason === "Unschedulable") counts.unschedulable += 1
    else counts.active += 1
  }
  return Object.entries(counts).map(([queue, value]) => ({ labels: { queue }, value }))
}
